// Space for large bodies, in the share of who sends them.

import { networkOf } from "@/lib/access/client-address";
import { bodyRoom, type OpenSpace } from "../http/body-room";
import { addressOf, type Caller } from "../http/caller";
import type { GatewayRequest } from "../http/request";

/** Space for the large bodies of this caller. */
export const uploadSpace =
  (request: GatewayRequest, caller: Pick<Caller, "limitedAs">): OpenSpace =>
  (mostBytes, gone) => {
    const isFunded = request.headers["payment-proof"] === undefined;
    return bodyRoom().open({ account: caller.limitedAs, network: networkOf(addressOf(request)), isFunded }, mostBytes, gone);
  };
