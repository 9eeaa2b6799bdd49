// Linking a wallet to an account, for tests: both wallets sign, as in a browser.

import { pool } from "@/lib/db/pool";
import type { Owner } from "../owner";
import { linkWallet, proveJoin, startLink } from "../sign-in/link-wallet";
import { prove, type TestWallet } from "./wallets";

/** The joining wallet's signature; the answer says what the wallet `allow` is asked to sign. @throws Error when no challenge is given */
export async function joinWith(owner: Owner, allow: TestWallet, join: TestWallet) {
  const started = await startLink(owner, join);
  if (!started.ok) throw new Error(started.reason);
  return proveJoin(owner, { join: await prove(join, started.join), allow });
}

/** Both signatures. */
export async function link(owner: Owner, allow: TestWallet, join: TestWallet) {
  const joined = await joinWith(owner, allow, join);
  return joined.ok ? linkWallet(owner, await prove(allow, joined.allow)) : joined;
}

/** Both signatures, a day ago, like all wallets of the account: one that is new signs nothing about others. */
export async function linkADayAgo(owner: Owner, allow: TestWallet, join: TestWallet) {
  const outcome = await link(owner, allow, join);
  await pool().query("UPDATE identity SET linked_at = linked_at - interval '1 day' WHERE account_id = $1", [owner.accountId]);
  return outcome;
}
