// How often one account's pages may call the chains' nodes: a page that waits for its transaction calls every second or two.

import type { AccountId } from "@/lib/base/ids";
import type { Entry } from "./limits/entry";
import { limiter } from "./limits/limiter";

const CALLS = { ratePerMinute: 300, concurrency: 40 };

/** Takes one call of this account; a granted entry must be left when the call is answered. */
export const enterRpcCall = async (accountId: AccountId): Promise<Entry> => limiter().enter(`chain calls of ${accountId}`, CALLS);
