// How often one client's pages may call the chains' nodes: a page that waits for its transaction calls every second or two.

import { networkOf } from "./client-address";
import type { Entry } from "./limits/entry";
import { limiter } from "./limits/limiter";

const CALLS = { ratePerMinute: 300, concurrency: 40 };

/** Takes one call of this client; a granted entry must be left when the call is answered. */
export const enterRpcCall = async (clientAddress: string): Promise<Entry> =>
  limiter().enter(`chain calls of ${networkOf(clientAddress)}`, CALLS);
