// Rare outcomes of payouts, on real chains: failed in a block on Solana, reverted with its block on Base, signed by a contract wallet, and
// lost by a database restore.

import { createFreezeAccountInstruction, createTransferInstruction } from "@solana/spl-token";
import { Connection, Keypair, PublicKey, Transaction, TransactionInstruction } from "@solana/web3.js";
import type { Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type { WithdrawalId } from "@/lib/base/ids";
import { readBalances } from "@/lib/chains/evm/balances";
import { findBlock } from "@/lib/chains/evm/blocks";
import { readHead } from "@/lib/chains/evm/head";
import { contractWallets } from "@/lib/chains/evm/testing/contract-wallets";
import { startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { newAddress } from "@/lib/chains/evm/testing/usdc-chain";
import { setSandboxSolanaNodes } from "@/lib/chains/solana/node-urls";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { readTokenBalances } from "@/lib/chains/solana/usdc";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { runRelay } from "@/lib/relay/run";
import { openSigner } from "../custody/seed-signer";
import { setSigner, signer } from "../custody/signer";
import { checkWithdrawals } from "./check";
import { payWithdrawals } from "./pay-withdrawals";
import { type KeyWallet, link, newOwner, ordered, startWorld, type TestOwner, USD, type World } from "./testing/world";
import { readBaseFunds, readSolanaFunds } from "./treasury-funds";
import { findWithdrawal } from "./withdrawal";

await openTestDatabase();
let world: World;
const solanaFault = { dropsSends: false };
const useSolana = (...urls: string[]) => setSandboxSolanaNodes(urls, world.solana.genesisHash);
let through: Awaited<ReturnType<typeof startFaultyNode>>;
beforeAll(async () => {
  world = await startWorld();
  through = await startFaultyNode(world.solana.url, ({ method }) =>
    solanaFault.dropsSends && method === "sendTransaction" ? { drop: true } : null,
  );
  useSolana(through.url);
  await world.fillTreasury("base", 1_000_000_000n);
  await world.fillTreasury("solana", 1_000_000_000n);
  await vi.waitFor(async () => expect(await readBaseFunds(await readHead())).toBe(1_000n * USD), { timeout: 30_000 });
  await vi.waitFor(async () => expect(await readSolanaFunds()).toBe(1_000n * USD), { timeout: 30_000 });
});
afterAll(async () => {
  await through?.close();
  await world?.stop();
});
afterEach(async () => {
  solanaFault.dropsSends = false;
  useSolana(through.url);
  expect([await checkLedger(), await checkWithdrawals()]).toEqual([[], []]);
  await pool().query("UPDATE withdrawal SET requested_at = requested_at - interval '25 hours'");
});

const round = async () => {
  await payWithdrawals();
  await runRelay({ resendAfterMs: 0 });
};

async function until(id: WithdrawalId, expected: object) {
  await vi.waitFor(
    async () => {
      await round();
      expect(await findWithdrawal(id)).toMatchObject(expected);
    },
    { timeout: 30_000, interval: 100 },
  );
}

async function arrivedOnBase(address: string): Promise<bigint> {
  const latest = await findBlock("latest");
  const [units = 0n] = await readBalances({ token: world.evm.usdc, accounts: [address as Hex], blockHash: latest?.hash ?? "0x" });
  return units;
}

const tokensOf = (owner: string): string => deriveTokenAccount(owner, signer().usdcMint);
const arrivedOnSolana = async ({ solana }: TestOwner): Promise<bigint> =>
  (await readTokenBalances(solanaNodes(), [tokensOf(solana.address)])).get(tokensOf(solana.address))?.value ?? 0n;

/** Runs a transaction of the chain's faucet, which may freeze accounts. */
async function runAsFaucet(...instructions: TransactionInstruction[]): Promise<void> {
  const faucet = Keypair.fromSecretKey(world.solana.faucetSecretKey);
  const connection = new Connection(world.solana.url, "confirmed");
  const transaction = new Transaction({ feePayer: faucet.publicKey, ...(await connection.getLatestBlockhash()) }).add(...instructions);
  transaction.sign(faucet);
  const signature = await connection.sendRawTransaction(transaction.serialize());
  await expect
    .poll(async () => (await connection.getSignatureStatus(signature)).value?.confirmationStatus, { timeout: 5_000 })
    .toBe("finalized");
}

test("a payout that failed in a final block on Solana is returned once, including the fee", async () => {
  const owner = await newOwner(50n * USD);
  await world.solana.faucet(owner.solana.address, 1n);
  await expect.poll(() => arrivedOnSolana(owner)).toBe(1n);
  const id = await ordered(owner, { chain: "solana", amount: 5n * USD });
  solanaFault.dropsSends = true;
  await payWithdrawals();
  expect(await findWithdrawal(id)).toMatchObject({ state: "signed", attempt: 1 });
  const faucet = new PublicKey(world.solana.faucetAddress);
  const [account, mint] = [tokensOf(owner.solana.address), signer().usdcMint].map((key) => new PublicKey(key)) as [PublicKey, PublicKey];
  await runAsFaucet(createFreezeAccountInstruction(account, mint, faucet));
  const { rows } = await pool().query<{ raw: Buffer }>(
    "SELECT b.raw FROM relay_broadcast b JOIN relayed r ON r.hash = b.hash WHERE r.id = $1",
    [`payout_${id}_1`],
  );
  await new Connection(world.solana.url).sendRawTransaction(rows[0]?.raw ?? Buffer.alloc(0), { skipPreflight: true });
  await until(id, { state: "failed", attempt: 1, reason: "The chain rejected the payment." });
  for (let n = 0; n < 3; n++) await round();
  expect([await arrivedOnSolana(owner), await readBalance(owner.accountId)]).toMatchObject([1n, { posted: 50n * USD }]);
});

test("a payout whose block leaves the chain is paid once, in another block", async () => {
  const owner = await newOwner(50n * USD);
  const id = await ordered(owner, { amount: 5n * USD });
  await until(id, { state: "confirmed" });
  const { rows } = await pool().query<{ block: number }>("SELECT block FROM relayed WHERE id = $1", [`payout_${id}_1`]);
  const latest = await findBlock("latest");
  await world.evm.reorg(Number(latest?.number ?? 0) - (rows[0]?.block ?? 0) + 2);
  expect(await arrivedOnBase(owner.evm.address)).toBe(0n);
  await until(id, { state: "final", attempt: 1 });
  for (let n = 0; n < 3; n++) await round();
  expect(await arrivedOnBase(owner.evm.address)).toBe(5_000_000n);
  expect((await readBalance(owner.accountId)).posted).toBe(45n * USD - 100_000_000n);
});

test("a contract wallet can order and is paid, as long as it confirms the signature", async () => {
  const [owner, key] = [await newOwner(50n * USD), privateKeyToAccount(generatePrivateKey())];
  const address = newAddress().toLowerCase() as Hex;
  await world.evm.client.setCode({ address, bytecode: contractWallets.ownedBy(key.address) });
  const contract: KeyWallet = { chain: "evm", address, sign: (message) => key.signMessage({ message }) };
  await link(owner.accountId, contract, true);
  const id = await ordered(owner, { amount: 5n * USD, destination: address, signer: contract });
  await until(id, { state: "final", attempt: 1 });
  expect(await arrivedOnBase(address)).toBe(5_000_000n);
  const other = await ordered(owner, { chain: "solana", amount: 5n * USD, signer: contract });
  // The wallet changes its owner, so the first owner's signature is void.
  await world.evm.client.setCode({ address, bytecode: contractWallets.ownedBy(newAddress()) });
  await until(other, { state: "approved", waitsFor: "signature" });
  await world.evm.client.setCode({ address, bytecode: contractWallets.ownedBy(key.address) });
  await until(other, { state: "final", attempt: 1 });
});

/** Restores the state from before the payout, as from a backup, with a restarted signer. */
async function setBack(id: WithdrawalId): Promise<void> {
  await inTransaction(async (transaction) => {
    await transaction.$executeRaw`SET LOCAL session_replication_role = replica`;
    await transaction.relayBroadcast.deleteMany({ where: { relayedId: `payout_${id}_1` } });
    await transaction.relayed.deleteMany({ where: { id: `payout_${id}_1` } });
    const unpaid = { validBefore: null, transaction: null, signedAt: null, confirmedAt: null };
    await transaction.withdrawal.update({ where: { id }, data: { state: "approved", attempt: 0, ...unpaid } });
  });
  setSigner(await openSigner(world.words, "sandbox"));
}

test("after a database restore, a payout that Solana shows is booked and not paid again", async () => {
  const owner = await newOwner(50n * USD);
  const id = await ordered(owner, { chain: "solana", amount: 5n * USD });
  await payWithdrawals();
  const { rows } = await pool().query<{ hash: string }>("SELECT hash FROM relayed WHERE id = $1", [`payout_${id}_1`]);
  await expect.poll(() => arrivedOnSolana(owner)).toBe(5_000_000n);
  await setBack(id);
  // A node that does not answer may be the one that knows.
  useSolana(through.url, "http://127.0.0.1:9");
  await payWithdrawals();
  expect(await findWithdrawal(id)).toMatchObject({ state: "approved", waitsFor: "chain", attempt: 0 });
  useSolana(through.url);
  await until(id, { state: "final", attempt: 1, transaction: rows[0]?.hash });
  for (let n = 0; n < 3; n++) await round();
  expect(await arrivedOnSolana(owner)).toBe(5_000_000n);
});

test("after a database restore, a payout that Base shows is booked and not returned", async () => {
  const owner = await newOwner(50n * USD);
  const id = await ordered(owner, { amount: 5n * USD });
  await until(id, { state: "confirmed" });
  const paidBy = (await findWithdrawal(id))?.transaction;
  await setBack(id);
  await until(id, { state: "final", attempt: 1, transaction: paidBy });
  expect(await arrivedOnBase(owner.evm.address)).toBe(5_000_000n);
});

test("a memo written by somebody else does not prevent an order's payout", async () => {
  const owner = await newOwner(50n * USD);
  const id = await ordered(owner, { chain: "solana", amount: 5n * USD });
  const [faucet, treasury] = [new PublicKey(world.solana.faucetAddress), new PublicKey(tokensOf(signer().treasury.solana))];
  const from = new PublicKey(tokensOf(world.solana.faucetAddress));
  await world.solana.faucet(world.solana.faucetAddress, 10n);
  const programId = new PublicKey("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");
  const memo = Buffer.from((await findWithdrawal(id))?.nonce ?? "");
  await runAsFaucet(createTransferInstruction(from, treasury, faucet, 1n), new TransactionInstruction({ keys: [], programId, data: memo }));
  await until(id, { state: "final", attempt: 1 });
  expect(await arrivedOnSolana(owner)).toBe(5_000_000n);
});
