// A wallet with an account of its own is linked: an account that was never used is absorbed, any other one stays as it is. Whatever comes in
// at the absorbed account's addresses, at whatever moment, is credited to exactly one of the two.

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { listIdentities } from "@/lib/access/identities";
import { createKey, setKeyState } from "@/lib/access/keys";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { readWallet, type Wallet } from "@/lib/chains/wallet";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { openFunding, credit as postCredit } from "@/lib/ledger/testing/fund";
import { claimCredit } from "@/lib/payments/claims/credits";
import { paidIn } from "@/lib/payments/testing/credited";
import { fillAddressPool } from "@/lib/wallets/custody/address-pool";
import { findWallet } from "@/lib/wallets/custody/custodial-wallet";
import { checkDeposits } from "@/lib/wallets/deposits/check";
import { underLease } from "@/lib/wallets/deposits/lease";
import { type FoundDeposit, recordDeposits } from "@/lib/wallets/deposits/record-deposits";
import { addFound, credit, leaseOn, openScan, recordHead } from "@/lib/wallets/deposits/testing/scanned-deposits";
import { setFaucet } from "../deposit/faucet";
import { findOwnerOf } from "../owner";
import { openTestCustody } from "../testing/custody";
import { joinWith } from "../testing/linking";
import { enter, newOwner } from "../testing/owners";
import { newWallet, prove, type TestWallet } from "../testing/wallets";
import { absorb } from "./absorb";
import { linkWallet, proveJoin, startLink, unlinkWallet } from "./link-wallet";

await openTestDatabase();
beforeAll(async () => {
  await openTestCustody();
  await openFunding();
  await openScan("base", { latest: 100, safe: 100, final: 100 });
});
beforeEach(() => forgetSingleton("limits.limiter"));
afterAll(async () => expect([await checkLedger(), await checkDeposits()]).toEqual([[], []]));

const USD = 1_000_000_000n;

type Person = Awaited<ReturnType<typeof newOwner>>;

/** The approval, ready to be submitted. */
async function approve(person: Person, join: TestWallet) {
  const joined = await joinWith(person.owner, person.wallet, join);
  if (!joined.ok) throw new Error(joined.reason);
  return { ...joined, proof: await prove(person.wallet, joined.allow) };
}

const storedAs = (wallet: TestWallet): Wallet => readWallet(wallet.chain, wallet.address) ?? { chain: wallet.chain, address: "" };
const postedOf = async ({ owner }: Person) => (await readBalance(owner.accountId)).posted;

/** USDC as a watcher finds it at the account's address on Base. */
async function found({ owner }: Person, number: number): Promise<FoundDeposit> {
  const wallet = await findWallet(owner.accountId);
  const place = { block: 50, blockHash: "0x50", index: number, transaction: `0x${owner.accountId}` };
  return {
    ...place,
    id: `base_${owner.accountId}_${number}`,
    accountId: owner.accountId,
    address: wallet?.baseAddress ?? "",
    amount: 5n * USD,
  };
}
const ownerOfDeposit = async ({ id }: FoundDeposit) =>
  (await pool().query("SELECT account_id FROM deposit WHERE id = $1", [id])).rows[0]?.account_id;

/** Resolves once `count` connections of this database wait for a lock. */
const untilWaiting = (count: number) =>
  expect
    .poll(
      async () =>
        (
          await pool().query(
            "SELECT count(*)::integer AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
          )
        ).rows[0]?.n,
      { timeout: 5_000, interval: 10 },
    )
    .toBe(count);

test("an account that was never used is absorbed by one more signature: its wallet signs in to the other account, its sessions end", async () => {
  const [mine, unused] = [await newOwner("evm"), await newOwner("solana")];
  const { allow, absorbs, proof } = await approve(mine, unused.wallet);
  expect(absorbs).toBe(unused.owner.accountId);
  expect(allow.text).toContain(`Its own account ${unused.owner.accountId}, which is unused, is merged into this one and closed.`);
  expect(allow.text).toContain("USDC that is sent to its deposit addresses later is credited to this account.");
  // Until it is approved, nothing changes.
  expect(await findOwnerOf(unused.owner.token)).not.toBeNull();
  expect(await linkWallet(mine.owner, proof)).toEqual({ ok: true });
  expect(await findOwnerOf(unused.owner.token)).toBeNull();
  expect((await enter(unused.wallet)).accountId).toBe(mine.owner.accountId);
  expect((await listIdentities(mine.owner.accountId)).map(({ wallet }) => wallet)).toEqual([
    storedAs(mine.wallet),
    storedAs(unused.wallet),
  ]);
});

test("an operator who unfreezes an absorbed account is told where it went", async () => {
  const [mine, unused] = [await newOwner(), await newOwner()];
  await linkWallet(mine.owner, (await approve(mine, unused.wallet)).proof);
  const unfreeze = (accountId: string) => pool().query("UPDATE account SET state = 'open' WHERE id = $1", [accountId]);
  await expect(unfreeze(unused.owner.accountId)).rejects.toMatchObject({
    message: `Account ${unused.owner.accountId} was merged into ${mine.owner.accountId} and stays frozen`,
    hint: `Unfreeze ${mine.owner.accountId} instead, if it is frozen.`,
  });
  await pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [mine.owner.accountId]);
  expect(await unfreeze(mine.owner.accountId)).toMatchObject({ rowCount: 1 });
});

test("USDC that comes in at the absorbed account's address later is credited to the account that absorbed it", async () => {
  const [mine, unused] = [await newOwner(), await newOwner()];
  const deposit = await found(unused, 0); // as a watcher sees it that knows the addresses from before
  await linkWallet(mine.owner, (await approve(mine, unused.wallet)).proof);
  await addFound([deposit]);
  await recordHead({ latest: 100, safe: 100, final: 100 });
  await credit([deposit.id]);
  expect([await postedOf(mine), await postedOf(unused)]).toEqual([5n * USD, 0n]);
  expect(await ownerOfDeposit(deposit)).toBe(mine.owner.accountId);
});

const uses: readonly (readonly [what: string, use: (person: Person) => Promise<unknown>])[] = [
  ["money", ({ owner }) => postCredit(owner.accountId, 1)],
  [
    "money that has gone again",
    async ({ owner }) => {
      await postCredit(owner.accountId, 5, `in ${owner.accountId}`);
      await postCredit(owner.accountId, -5, `out ${owner.accountId}`);
    },
  ],
  ["a deposit that is only seen", async (person) => addFound([await found(person, 0)])],
  ["a key", ({ owner }) => createKey({ accountId: owner.accountId, name: "one" })],
  [
    "a key that was revoked",
    async ({ owner }) => setKeyState(owner.accountId, (await createKey({ accountId: owner.accountId, name: "one" })).keyId, "revoked"),
  ],
  ["a payment by its wallet", ({ wallet }) => paidIn(10, { chain: wallet.chain, payer: storedAs(wallet).address, amount: USD })],
  [
    "an absorbed account",
    async (person) => {
      const other = await newOwner();
      await linkWallet(person.owner, (await approve(person, other.wallet)).proof);
      await unlinkWallet(person.owner, other.wallet);
    },
  ],
];

test.each(uses)("an account with %s stays as it is, before and after it was asked about", async (_, use) => {
  const [mine, used] = [await newOwner(), await newOwner()];
  const { proof } = await approve(mine, used.wallet);
  await use(used);
  const refusal = { ok: false, reason: "joining_used" };
  expect(await linkWallet(mine.owner, proof)).toEqual(refusal);
  expect(await joinWith(mine.owner, mine.wallet, used.wallet)).toEqual(refusal);
  expect(await findOwnerOf(used.owner.token)).not.toBeNull();
  expect((await enter(used.wallet)).accountId).toBe(used.owner.accountId);
  expect(await listIdentities(mine.owner.accountId)).toHaveLength(1);
});

test("an account that is frozen, has other wallets or got a faucet's gift is not absorbed", async () => {
  const mine = await newOwner();
  const [frozen, shared, given] = [await newOwner(), await newOwner(), await newOwner()];
  await pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [frozen.owner.accountId]);
  await linkWallet(shared.owner, (await approve(shared, newWallet("solana"))).proof);
  expect(await joinWith(mine.owner, mine.wallet, frozen.wallet)).toEqual({ ok: false, reason: "joining_frozen" });
  expect(await joinWith(mine.owner, mine.wallet, shared.wallet)).toEqual({ ok: false, reason: "joining_other_wallets" });
  const { accountId } = given.owner;
  const give = async () => ({ kind: "away" }) as const;
  setFaucet({ amount: (await readBalance(accountId)).posted, timesADay: 1, give, hasGiven: async (account) => account === accountId });
  try {
    expect(await joinWith(mine.owner, mine.wallet, given.wallet)).toEqual({ ok: false, reason: "joining_used" });
    expect(await joinWith(mine.owner, mine.wallet, (await newOwner()).wallet)).toMatchObject({ ok: true });
  } finally {
    setFaucet(undefined);
  }
});

test("nothing is told about another account without its wallet's valid signature", async () => {
  const [mine, used, unused] = [await newOwner(), await newOwner(), await newOwner()];
  await postCredit(used.owner.accountId, 1);
  const answers = [];
  for (const { chain, address } of [used.wallet, unused.wallet, newWallet("evm")]) {
    const started = await startLink(mine.owner, { chain, address });
    if (!started.ok) throw new Error(started.reason);
    expect(started.join.text).not.toMatch(new RegExp(`${used.owner.accountId}|${unused.owner.accountId}`));
    const forged = { ...(await prove(mine.wallet, started.join)), address };
    answers.push(await proveJoin(mine.owner, { join: forged, allow: mine.wallet }));
  }
  expect(answers).toEqual(answers.map(() => ({ ok: false, reason: "bad_signature" })));
});

test("two accounts that absorb the same account at once: one gets it; two that absorb each other: one remains", async () => {
  const [one, two, wanted] = [await newOwner(), await newOwner(), await newOwner()];
  const [toOne, toTwo] = [await approve(one, wanted.wallet), await approve(two, wanted.wallet)];
  const outcomes = await Promise.all([linkWallet(one.owner, toOne.proof), linkWallet(two.owner, toTwo.proof)]);
  expect(outcomes.map(({ ok }) => ok).sort()).toEqual([false, true]);
  expect(outcomes).toContainEqual({ ok: false, reason: "joining_changed" });

  const [left, right] = [await newOwner(), await newOwner()];
  const [toLeft, toRight] = [await approve(left, right.wallet), await approve(right, left.wallet)];
  const mutual = await Promise.all([linkWallet(left.owner, toLeft.proof), linkWallet(right.owner, toRight.proof)]);
  expect(mutual.map(({ ok }) => ok).sort()).toEqual([false, true]);
  const kept = mutual[0]?.ok ? left : right;
  for (const { wallet } of [left, right]) expect((await enter(wallet)).accountId).toBe(kept.owner.accountId);
});

test("an absorption that meets a deposit being recorded waits for it, and leaves both accounts as they are", async () => {
  const [mine, unused] = [await newOwner(), await newOwner()];
  const [{ proof }, deposit] = [await approve(mine, unused.wallet), await found(unused, 0)];
  let linking: ReturnType<typeof linkWallet> | undefined;
  await underLease(await leaseOn("base"), async (transaction) => {
    await recordDeposits("base", [deposit], transaction);
    linking = linkWallet(mine.owner, proof);
    await untilWaiting(1);
  });
  expect(await linking).toEqual({ ok: false, reason: "joining_used" });
  await credit([deposit.id]);
  expect([await postedOf(mine), await postedOf(unused)]).toEqual([0n, 5n * USD]);
});

test("a deposit or credit that meets an absorption under way waits for it, and goes to the account that absorbed", async () => {
  const [mine, unused] = [await newOwner(), await newOwner()];
  const deposit = await found(unused, 0);
  let [recording, claiming]: Promise<unknown>[] = [];
  await inTransaction(async (transaction) => {
    const joining = { accountId: unused.owner.accountId, wallet: storedAs(unused.wallet) };
    expect(await absorb(joining, mine.owner.accountId, transaction)).toBeNull();
    recording = addFound([deposit]);
    claiming = claimCredit(unused.owner.accountId, storedAs(unused.wallet)).catch((error: unknown) => error);
    await untilWaiting(2);
  });
  await recording;
  expect(`${await claiming}`).toContain("is not the account's");
  expect(await ownerOfDeposit(deposit)).toBe(mine.owner.accountId);
  await credit([deposit.id]);
  expect([await postedOf(mine), await postedOf(unused)]).toEqual([5n * USD, 0n]);
});

test("whichever comes first, absorption or deposit, the money is where its wallet signs in", async () => {
  for (let round = 0; round < 12; round++) {
    forgetSingleton("limits.limiter");
    await fillAddressPool();
    const [mine, unused] = [await newOwner(), await newOwner()];
    const [{ proof }, deposit] = [await approve(mine, unused.wallet), await found(unused, round)];
    const paid = async () => {
      await addFound([deposit]);
      await credit([deposit.id]);
    };
    const [outcome] = await Promise.all([linkWallet(mine.owner, proof), paid()]);
    const { accountId } = await enter(unused.wallet);
    expect(accountId).toBe((outcome.ok ? mine : unused).owner.accountId);
    expect((await readBalance(accountId)).posted).toBe(5n * USD);
  }
});
