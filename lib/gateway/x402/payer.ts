// Who asks at the x402 endpoint: nobody with a key or an account, so limits are counted for the client's address.

import { clientAddress, networkOf, trustedProxies } from "@/lib/access/client-address";
import { config } from "@/lib/base/config";
import type { Buyer } from "../http/caller";
import type { GatewayRequest } from "../http/request";

/** A client may send as much as an account may, and more at the same time: an address may be that of many agents. */
export async function identifyClient(request: GatewayRequest): Promise<Buyer> {
  const address = clientAddress(request.remoteAddress, request.headers["x-forwarded-for"], trustedProxies());
  const { RATE_LIMIT_PER_MINUTE: ratePerMinute, X402_CONCURRENCY_LIMIT: concurrency } = config();
  return { limitedAs: `x402 of ${networkOf(address)}`, limits: { ratePerMinute, concurrency }, allowedModels: null };
}
