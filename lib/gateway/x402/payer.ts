// The caller at the x402 endpoint: it has no key and no account, so limits are counted for the client's address.

import { clientAddress, networkOf, trustedProxies } from "@/lib/access/client-address";
import { config } from "@/lib/base/config";
import type { Buyer } from "../http/caller";
import type { GatewayRequest } from "../http/request";

/** A client may send as many requests a minute as an account, and more at the same time: many agents may share an address. */
export async function identifyClient(request: GatewayRequest): Promise<Buyer> {
  const address = clientAddress(request.remoteAddress, request.headers["x-forwarded-for"], trustedProxies());
  const { RATE_LIMIT_PER_MINUTE: ratePerMinute, X402_CONCURRENCY_LIMIT: concurrency } = config();
  return { limitedAs: `x402 of ${networkOf(address)}`, limits: { ratePerMinute, concurrency }, allowedModels: null, clipMinTokens: null };
}
