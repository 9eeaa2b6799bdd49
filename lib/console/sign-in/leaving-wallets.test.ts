// Wallets that leave their account: they sign in to nothing, and only those are unlinked that still leave when their time has come.

import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { keepIdentity } from "@/lib/access/identities";
import { listSessions } from "@/lib/access/sessions";
import { nowMs, setClock } from "@/lib/base/clock";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { readWallet } from "@/lib/chains/wallet";
import { pool } from "@/lib/db/pool";
import { accountLock, whileHeld } from "@/lib/db/testing/held-lock";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import type { Owner } from "../owner";
import { refusalText } from "../refusals";
import { openTestCustody } from "../testing/custody";
import { link } from "../testing/linking";
import { enter, newOwner } from "../testing/owners";
import { newWallet, prove, type TestWallet } from "../testing/wallets";
import { isLinked, startUnlinking, unlinkLeft } from "./link-wallet";
import { signIn, startSignIn } from "./sign-in";

await openTestDatabase();
beforeAll(openTestCustody);
beforeEach(() => forgetSingleton("limits.limiter"));
let restore: () => void = () => {};
afterEach(() => restore());

/** An owner with a second wallet, which leaves in 24 hours. */
async function newLeaving() {
  const { wallet, owner } = await newOwner();
  const leaving = newWallet("solana");
  expect(await link(owner, wallet, leaving)).toEqual({ ok: true });
  expect(await startUnlinking(owner, leaving)).toEqual({ ok: true });
  return { wallet, owner, leaving };
}

function waitADay(): void {
  const at = nowMs() + 25 * 3_600_000;
  restore = setClock(() => at);
}

async function keep({ accountId }: Owner, { chain, address }: TestWallet): Promise<boolean> {
  const stored = readWallet(chain, address);
  return stored !== null && keepIdentity(accountId, stored);
}

const setState = ({ accountId }: Owner, state: "open" | "frozen") =>
  pool().query("UPDATE account SET state = $2 WHERE id = $1", [accountId, state]);

test("a wallet that leaves cannot sign in, and learns which one can; once it is kept it can again", async () => {
  const { wallet, owner, leaving } = await newLeaving();
  const started = await startSignIn(leaving, "192.0.2.1");
  if (!started.ok) throw new Error(started.reason);
  const outcome = await signIn(await prove(leaving, started.challenge), { userAgent: "", clientAddress: "192.0.2.1" });
  expect(outcome).toEqual({ ok: false, reason: "wallet_leaving" });
  expect(refusalText("wallet_leaving")).toBe(
    "This wallet is being unlinked from its account. Sign in with another of its wallets; there it can be kept.",
  );
  expect(await listSessions(owner.accountId)).toMatchObject([{ sessionId: owner.sessionId }]);
  expect((await enter(wallet)).accountId).toBe(owner.accountId);
  expect(await keep(owner, leaving)).toBe(true);
  expect((await enter(leaving)).accountId).toBe(owner.accountId);
});

test("freezing an account stops its unlinking, also one that has begun; it goes on once the account is open again", async () => {
  const { owner, leaving } = await newLeaving();
  waitADay();
  await whileHeld(accountLock(owner.accountId), unlinkLeft, (on) =>
    on.query("UPDATE account SET state = 'frozen' WHERE id = $1", [owner.accountId]),
  );
  expect(await isLinked(owner, leaving)).toBe(true);
  await unlinkLeft();
  expect(await isLinked(owner, leaving)).toBe(true);
  await setState(owner, "open");
  await unlinkLeft();
  expect(await isLinked(owner, leaving)).toBe(false);
});

test("a wallet that is kept at the last moment stays, although the job has found it already", async () => {
  const { owner, leaving } = await newLeaving();
  waitADay();
  await whileHeld(accountLock(owner.accountId), unlinkLeft, (on) =>
    on.query("UPDATE identity SET leaves_at = NULL WHERE account_id = $1", [owner.accountId]),
  );
  expect(await isLinked(owner, leaving)).toBe(true);
  await unlinkLeft();
  expect(await isLinked(owner, leaving)).toBe(true);
});

test("a wallet that cannot be unlinked keeps no other one linked", async () => {
  const [stuck, other] = [await newLeaving(), await newLeaving()];
  await pool().query(`
    CREATE FUNCTION refuse_one() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
    CREATE TRIGGER refuse_one BEFORE DELETE ON identity FOR EACH ROW WHEN (OLD.address = '${stuck.leaving.address}')
      EXECUTE FUNCTION refuse_one()`);
  waitADay();
  await unlinkLeft();
  expect(await isLinked(stuck.owner, stuck.leaving)).toBe(true);
  expect(await isLinked(other.owner, other.leaving)).toBe(false);
  await pool().query("DROP TRIGGER refuse_one ON identity; DROP FUNCTION refuse_one()");
  await unlinkLeft();
  expect(await isLinked(stuck.owner, stuck.leaving)).toBe(false);
});
