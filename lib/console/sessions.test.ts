import { expect, test } from "vitest";
import { createAccount } from "@/lib/access/accounts";
import { openSession } from "@/lib/access/sessions";
import type { AccountId } from "@/lib/base/ids";
import type { Wallet } from "@/lib/chains/wallet";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { findOwnerOf, type Owner } from "./owner";
import { listOwnSessions, revokeAllSessions, revokeSession } from "./sessions";

await openTestDatabase();

const wallet: Wallet = { chain: "evm", address: `0x${"ab".repeat(20)}` };

async function enter(accountId: AccountId): Promise<Owner & { token: string }> {
  const { token } = await openSession({ accountId, wallet, userAgent: "a browser", clientAddress: "192.0.2.1" });
  const owner = await findOwnerOf(token);
  if (!owner) throw new Error("the session is not there");
  return { ...owner, token };
}

test("an owner sees which session is the one that asks, ends another, and then all", async () => {
  const accountId = await createAccount();
  const [here, there] = [await enter(accountId), await enter(accountId)];
  const current = (await listOwnSessions(here)).map(({ sessionId, isCurrent }) => [sessionId, isCurrent]);
  expect(Object.fromEntries(current)).toEqual({ [here.sessionId]: true, [there.sessionId]: false });
  expect(await revokeSession(here, there.sessionId)).toBe(true);
  expect(await findOwnerOf(there.token)).toBeNull();
  expect(await findOwnerOf(here.token)).not.toBeNull();
  expect(await revokeAllSessions(here)).toBe(1);
  expect(await findOwnerOf(here.token)).toBeNull();
});

test("whatever a page sends, nobody ends the session of another account", async () => {
  const [owner, stranger] = [await enter(await createAccount()), await enter(await createAccount())];
  for (const id of [owner.sessionId, "", "rubbish", "' OR true --"]) expect(await revokeSession(stranger, id)).toBe(false);
  expect(await revokeAllSessions(stranger)).toBe(1);
  expect(await findOwnerOf(owner.token)).not.toBeNull();
});
