// Wallets that leave their account: they only take power away, and only those are unlinked that still leave when their time has come.

import { readFileSync } from "node:fs";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { keepIdentity } from "@/lib/access/identities";
import { leftBy } from "@/lib/audit/testing/left-by";
import { nowMs, setClock } from "@/lib/base/clock";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { readWallet } from "@/lib/chains/wallet";
import { pool } from "@/lib/db/pool";
import { accountLock, whileHeld } from "@/lib/db/testing/held-lock";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { openFunding } from "@/lib/ledger/testing/fund";
import { paidIn } from "@/lib/payments/testing/credited";
import { findOwnerOf, type Owner } from "../owner";
import { openTestCustody } from "../testing/custody";
import { link } from "../testing/linking";
import { enter, newOwner } from "../testing/owners";
import { newWallet, type TestWallet } from "../testing/wallets";
import { isLinked, startUnlinking, unlinkLeft } from "./link-wallet";

await openTestDatabase();
beforeAll(openTestCustody);
beforeAll(openFunding);
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

test("a wallet that leaves signs in, and only takes power away; its credit stays its own; once it is kept it can do everything again", async () => {
  const { owner, leaving } = await newLeaving();
  const payer = readWallet(leaving.chain, leaving.address)?.address ?? "";
  await paidIn(10, { chain: leaving.chain, payer, amount: 1_000_000_000n });
  const session = await enter(leaving);
  expect(session).toMatchObject({ accountId: owner.accountId, isFrozen: true, isLeaving: true });
  expect((await readBalance(owner.accountId)).posted).toBe(0n);
  expect(await findOwnerOf(owner.token)).toMatchObject({ isFrozen: false, isLeaving: false });
  expect(await keep(owner, leaving)).toBe(true);
  expect(await findOwnerOf(session.token)).toMatchObject({ isFrozen: false, isLeaving: false });
  await enter(leaving);
  expect((await readBalance(owner.accountId)).posted).toBe(1_000_000_000n);
});

test("the operator's statement of OPERATING.md keeps a wallet, and the audit log tells it", async () => {
  const { owner, leaving } = await newLeaving();
  const [statement = ""] = /^UPDATE identity SET .+;$/m.exec(readFileSync("OPERATING.md", "utf8")) ?? [];
  const address = readWallet(leaving.chain, leaving.address)?.address ?? "";
  const left = await leftBy(() => pool().query(statement.replace("acc_…", owner.accountId).replace("0x…", address)));
  expect(left).toMatchObject([{ kind: "wallet.kept", account_id: owner.accountId, subject: address }]);
  expect(await enter(leaving)).toMatchObject({ isFrozen: false });
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
