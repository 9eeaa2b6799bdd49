// The watcher on a real chain and a real database: what it credits and when.

import {
  createAssociatedTokenAccountIdempotentInstruction,
  createMint,
  createMintToInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  getOrCreateAssociatedTokenAccount,
  mintTo,
} from "@solana/spl-token";
import { type Keypair, PublicKey, SystemProgram, sendAndConfirmTransaction, Transaction } from "@solana/web3.js";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { newHolder } from "@/lib/sandbox/solana-chain/testing";
import { readSolanaForeignTokens } from "./solana-foreign-tokens";
import {
  depositsOf,
  expectAllAccountedFor,
  mint,
  ONE_USDC,
  openCustomer,
  postedOf,
  type SolanaCustomer,
  startWatchedSolana,
  statesOf,
  type WatchedSolana,
} from "./testing/watched-solana";

const database = await openTestDatabase();
let chain: WatchedSolana;
let watcher: ReturnType<WatchedSolana["watcher"]>;
let swept = 0n;
beforeAll(async () => {
  chain = await startWatchedSolana();
  watcher = chain.watcher();
});
afterAll(() => chain?.remove());
afterEach(() => expectAllAccountedFor(chain, swept));

const read = (more: object = {}) => ({ outcome: "read", headLag: 0, reorgDepth: 0, reversed: 0, ...more });
const send = (instructions: Parameters<Transaction["add"]>, signers: Keypair[]) =>
  sendAndConfirmTransaction(chain.connect(), new Transaction().add(...instructions), signers, { skipPreflight: true });

async function sweep(customer: SolanaCustomer, units: bigint): Promise<void> {
  await chain.sweep(customer, units);
  swept += units;
}

/** Ticks, after making every account due for its rescan. */
async function tickAgain(): Promise<void> {
  await database.pool.query("UPDATE solana_cursor SET check_at = 'epoch'");
  expect(await watcher.tick()).toMatchObject(read());
}

/** Follows a deposit of a new customer until it is credited; resolves with what was seen before, which is nothing when rounds are slow. */
async function followDeposit() {
  const customer = await openCustomer();
  const transaction = await chain.faucet(customer.owner, 5n * ONE_USDC);
  const states: string[] = [];
  const counts: number[] = [];
  for (let deposit = (await depositsOf(customer))[0]; deposit?.state !== "credited"; [deposit] = await depositsOf(customer)) {
    if (deposit && deposit.state !== states.at(-1)) states.push(deposit.state);
    if (deposit) counts.push(deposit.confirmations);
    if (deposit) expect(deposit).toMatchObject({ amount: 5_000_000_000n, isFinal: false, creditedAt: null, transaction });
    expect(await postedOf(customer)).toBe(0n);
    expect(await watcher.tick()).toMatchObject(read());
  }
  expect(counts).toEqual([...counts].sort((one, other) => one - other));
  const [deposit] = await depositsOf(customer);
  expect(deposit).toMatchObject({ state: "credited", isFinal: true, address: customer.owner, creditedAt: expect.any(Date) });
  expect(deposit?.confirmations).toBe(deposit?.neededConfirmations);
  expect(await postedOf(customer)).toBe(5_000_000_000n);
  return states;
}

test("a deposit is seen, confirming, and credited when it is final", async () => {
  let states = await followDeposit();
  // On a busy machine the chain may be done with a deposit within one round: then another is followed.
  while (states.length === 0) states = await followDeposit();
  // A slow round may skip one of them.
  expect(["seen,confirming", "confirming", "seen"]).toContain(`${states}`);
});

test("deposits below 1 USD are kept as a liability, and credited together once their address has 1 USD", async () => {
  const [customer, other] = [await openCustomer(), await openCustomer()];
  await chain.faucet(customer.owner, 1n);
  await chain.faucet(other.owner, 400_000n);
  await chain.faucet(customer.owner, 599_999n);
  await chain.finalize();
  expect(await watcher.tick()).toEqual(read({ found: 3, credited: 3 }));
  expect([await statesOf(customer), await statesOf(other)]).toEqual([["below_minimum", "below_minimum"], ["below_minimum"]]);
  expect([await postedOf(customer), await postedOf(other)]).toEqual([0n, 0n]);
  await expectAllAccountedFor(chain, swept);
  await chain.faucet(customer.owner, 400_000n);
  await chain.finalize();
  expect(await watcher.tick()).toEqual(read({ found: 1, credited: 3 }));
  expect(await statesOf(customer)).toEqual(["credited", "credited", "credited"]);
  expect(await postedOf(customer)).toBe(1_000_000_000n);
  expect(await statesOf(other)).toEqual(["below_minimum"]);
});

test("transfers in one transaction are one deposit; failed ones, and money that leaves in the same transaction, are none", async () => {
  const [customer, churned] = [await openCustomer(), await openCustomer()];
  const { wallet: payer, account: from } = await newHolder(chain, 50n * ONE_USDC);
  await chain.faucet(customer.owner, ONE_USDC);
  await chain.airdrop(churned.owner, 1_000_000_000n);
  const transfer = (to: SolanaCustomer, units: bigint) =>
    createTransferInstruction(from, new PublicKey(to.tokenAccount), payer.publicKey, units);
  const back = (of: SolanaCustomer, units: bigint) =>
    createTransferInstruction(new PublicKey(of.tokenAccount), from, of.wallet.publicKey, units);
  const open = createAssociatedTokenAccountIdempotentInstruction(
    payer.publicKey,
    new PublicKey(churned.tokenAccount),
    churned.wallet.publicKey,
    mint,
  );
  await send([transfer(customer, 2n * ONE_USDC), transfer(customer, 3n * ONE_USDC)], [payer]);
  await expect(send([transfer(customer, 900n * ONE_USDC)], [payer])).rejects.toThrow();
  await send([open, transfer(churned, 4n * ONE_USDC), back(churned, 4n * ONE_USDC)], [payer, churned.wallet]);
  await send([transfer(churned, 4n * ONE_USDC), back(churned, ONE_USDC)], [payer, churned.wallet]);
  await chain.finalize();
  expect(await watcher.tick()).toEqual(read({ found: 3, credited: 3 }));
  expect(new Set((await depositsOf(customer)).map(({ amount }) => amount))).toEqual(new Set([5_000_000_000n, 1_000_000_000n]));
  expect((await depositsOf(churned)).map(({ amount }) => amount)).toEqual([3_000_000_000n]);
});

test("sweeps and transfers between our addresses are not deposits; a deposit after them is", async () => {
  const [customer, other] = [await openCustomer(), await openCustomer()];
  await chain.faucet(customer.owner, 7n * ONE_USDC);
  await chain.faucet(other.owner, ONE_USDC);
  await chain.finalize();
  await watcher.tick();
  await sweep(customer, 4n * ONE_USDC);
  const between = createTransferInstruction(
    new PublicKey(customer.tokenAccount),
    new PublicKey(other.tokenAccount),
    customer.wallet.publicKey,
    2n * ONE_USDC,
  );
  await send([between], [customer.wallet]);
  await chain.faucet(customer.owner, 2n * ONE_USDC);
  await chain.finalize();
  expect(await watcher.tick()).toEqual(read({ found: 1, credited: 1 }));
  expect([await postedOf(customer), await postedOf(other)]).toEqual([9_000_000_000n, 1_000_000_000n]);
});

test("an account swept and refilled to the same balance between two ticks is found by its rescan", async () => {
  const customer = await openCustomer();
  await chain.faucet(customer.owner, 3n * ONE_USDC);
  await chain.finalize();
  await watcher.tick();
  await sweep(customer, 3n * ONE_USDC);
  await chain.faucet(customer.owner, 3n * ONE_USDC);
  await chain.finalize();
  expect(await chain.watcher().tick()).toEqual({ outcome: "elsewhere" });
  expect(await watcher.tick()).toEqual(read({ found: 0, credited: 0 }));
  expect(await postedOf(customer)).toBe(3_000_000_000n);
  await tickAgain();
  expect(await statesOf(customer)).toEqual(["credited", "credited"]);
  expect(await postedOf(customer)).toBe(6_000_000_000n);
});

test("an account swept and refilled is read immediately when the pending sweep was seen", async () => {
  const customer = await openCustomer();
  await chain.faucet(customer.owner, 3n * ONE_USDC);
  await chain.finalize();
  await watcher.tick();
  await sweep(customer, 3n * ONE_USDC);
  expect(await watcher.tick()).toEqual(read({ found: 0, credited: 0 }));
  await chain.faucet(customer.owner, 3n * ONE_USDC);
  await chain.finalize();
  expect(await watcher.tick()).toEqual(read({ found: 1, credited: 1 }));
  expect(await postedOf(customer)).toBe(6_000_000_000n);
});

test("other tokens, USDC in a non-associated account, and SOL are not credited; tokens are listed for the operator", async () => {
  const customer = await openCustomer();
  const { wallet: maker } = await newHolder(chain, 1n);
  const other = await createMint(chain.connect(), maker, maker.publicKey, null, 2);
  const { address } = await getOrCreateAssociatedTokenAccount(chain.connect(), maker, other, customer.wallet.publicKey);
  await mintTo(chain.connect(), maker, other, address, maker, 77n);
  // SOL at the token account's address before the account exists.
  const lamports = 2_000_000;
  for (const to of [customer.wallet.publicKey, new PublicKey(customer.tokenAccount)]) {
    await send([SystemProgram.transfer({ fromPubkey: maker.publicKey, toPubkey: to, lamports })], [maker]);
  }
  await chain.finalize();
  await database.pool.query("UPDATE solana_cursor SET check_at = 'infinity'");
  expect(await watcher.tick()).toEqual(read({ found: 0, credited: 0 }));
  const listed = { tokenAccount: address.toBase58(), mint: other.toBase58(), accountId: customer.account, units: "77" };
  expect(await readSolanaForeignTokens(10)).toMatchObject([listed]);
  await send([createMintToInstruction(other, address, maker.publicKey, 3n)], [maker]);
  await chain.faucet(customer.owner, 2n * ONE_USDC);
  await chain.finalize();
  await tickAgain();
  expect(await readSolanaForeignTokens(10)).toMatchObject([{ ...listed, units: "80" }]);
  expect(await postedOf(customer)).toBe(2_000_000_000n);
});

test("a token account at one of our addresses with another owner credits nothing", async () => {
  const customer = await openCustomer();
  const { wallet: thief, account } = await newHolder(chain, 5n * ONE_USDC);
  await database.pool.query("UPDATE custodial_wallet SET solana_token_account = $2 WHERE account_id = $1", [
    customer.account,
    account.toBase58(),
  ]);
  await chain.finalize();
  expect(await watcher.tick()).toEqual(read({ found: 0, credited: 0 }));
  expect(await statesOf(customer)).toEqual([]);
  expect(getAssociatedTokenAddressSync(mint, thief.publicKey)).toEqual(account);
  await database.pool.query("DELETE FROM custodial_wallet WHERE account_id = $1", [customer.account]);
});

test("a new watcher continues where the last one ended, and finds deposits made meanwhile", async () => {
  const customer = await openCustomer();
  await chain.faucet(customer.owner, 2n * ONE_USDC);
  await chain.finalize();
  expect(await watcher.tick()).toEqual(read({ found: 1, credited: 1 }));
  await watcher.release();
  await chain.faucet(customer.owner, 3n * ONE_USDC);
  await chain.finalize();
  watcher = chain.watcher();
  expect(await watcher.tick()).toEqual(read({ found: 1, credited: 1 }));
  await tickAgain();
  expect(await postedOf(customer)).toBe(5_000_000_000n);
  expect(await statesOf(customer)).toEqual(["credited", "credited"]);
});
