// How often the pages of one client may ask the chains' nodes: a page that waits for its transaction asks every second or two.

import { networkOf } from "./client-address";
import type { Entry } from "./limits/entry";
import { limiter } from "./limits/limiter";

const CALLS = { ratePerMinute: 300, concurrency: 40 };

/** Takes one call of this client's; a granted one must be left when it is answered. */
export const enterRpcCall = async (clientAddress: string): Promise<Entry> =>
  limiter().enter(`chain calls of ${networkOf(clientAddress)}`, CALLS);
