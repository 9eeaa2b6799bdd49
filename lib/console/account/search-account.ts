// The command palette's search in the owner's account: its keys by name, and its requests by the beginning of their ids. Bounded: at most a
// hundred keys, which is how many an account may have, and five requests.

import { z } from "zod";
import { findFailedIds } from "@/lib/access/failures/list-failed";
import { listLiveKeys } from "@/lib/access/key-list";
import { findRequestIds } from "@/lib/ledger/receipt";
import type { Owner } from "../owner";
import type { AccountSearch } from "../views/account-search";

const MOST_REQUESTS = 5;

/** An id or its beginning, with at least one digit of its own. Pasted text brings spaces. */
const idBeginning = z
  .string()
  .trim()
  .regex(/^req_[0-9A-Za-z]{1,20}$/);

export async function searchAccount({ accountId }: Owner, requestText: unknown): Promise<AccountSearch> {
  const beginning = idBeginning.safeParse(requestText);
  const find = async () => {
    if (!beginning.success) return [];
    const [known, failed] = await Promise.all([
      findRequestIds(accountId, beginning.data, MOST_REQUESTS),
      findFailedIds(accountId, beginning.data, MOST_REQUESTS),
    ]);
    return [...known, ...failed].slice(0, MOST_REQUESTS);
  };
  const [keys, requests] = await Promise.all([listLiveKeys(accountId), find()]);
  return { keys: keys.map(({ keyId: id, name, prefix, last4, state }) => ({ id, name, display: `${prefix}…${last4}`, state })), requests };
}
