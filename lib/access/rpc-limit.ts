// How often pages may call the chains' nodes: a page that waits for its transaction calls every second or two.

import type { AccountId } from "@/lib/base/ids";
import { siteOf } from "./client-address";
import type { Entry } from "./limits/entry";
import { limiter } from "./limits/limiter";

const OF_ACCOUNT = { ratePerMinute: 300, concurrency: 40 };
/** Accounts cost nothing. An office that shares an address is more than one, and less than a hundred. */
const OF_NETWORK = { ratePerMinute: 1_500, concurrency: 200 };

/** Takes one call of this account, and of its client's network; a granted entry must be left when the call is answered. */
export async function enterRpcCall(accountId: AccountId, clientAddress: string): Promise<Entry> {
  const ofAccount = await limiter().enter(`chain calls of ${accountId}`, OF_ACCOUNT);
  if (!ofAccount.granted) return ofAccount;
  const ofNetwork = await limiter().enter(`chain calls from ${siteOf(clientAddress)}`, OF_NETWORK);
  const leave = () => {
    ofAccount.leave();
    if (ofNetwork.granted) ofNetwork.leave();
  };
  if (ofNetwork.granted) return { ...ofNetwork, leave };
  leave();
  return ofNetwork;
}
