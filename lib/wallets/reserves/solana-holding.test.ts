// Holdings on Solana with more accounts than one call can read, during sweeps: money may be counted twice, but is never missed.

import { setTimeout as sleep } from "node:timers/promises";
import { createTransferInstruction, getAssociatedTokenAddressSync } from "@solana/spl-token";
import { Keypair, PublicKey, Transaction } from "@solana/web3.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SolanaNodes } from "@/lib/chains/solana/nodes";
import { USDC_MINT } from "@/lib/chains/solana/usdc";
import { startTestSolanaChain, type TestSolanaChain } from "@/lib/sandbox/solana-chain/testing";
import { readSolanaHolding } from "./solana-holding";

const COUNT = 230;
const SWEPT = 120;
const EACH = 1_000n;
const mint = new PublicKey(USDC_MINT);
const accountOf = (owner: PublicKey) => getAssociatedTokenAddressSync(mint, owner);
const treasury = Keypair.generate();
const owners = Array.from({ length: COUNT }, () => Keypair.generate());
const depositors = owners.map(({ publicKey }, index) => ({ depositAddress: `owner ${index}`, address: accountOf(publicKey).toBase58() }));

let chain: TestSolanaChain;
let nodes: SolanaNodes;
const read = () => readSolanaHolding({ treasury: accountOf(treasury.publicKey).toBase58(), depositors }, nodes);
const sumOf = async () => {
  const { holding } = await read();
  return (holding.treasury + holding.atAddresses) / 1_000n;
};

beforeAll(async () => {
  chain = await startTestSolanaChain({ slotMs: 50, finalityLagSlots: 4 });
  nodes = new SolanaNodes({ urls: [chain.url], genesisHash: chain.genesisHash });
  await chain.airdrop(treasury.publicKey.toBase58(), 100_000_000_000n);
  await chain.faucet(treasury.publicKey.toBase58(), 5n);
  for (const { publicKey } of owners) await chain.faucet(publicKey.toBase58(), EACH);
});
afterAll(async () => await chain?.remove());

const total = BigInt(COUNT) * EACH + 5n;

test("all accounts are counted, each at its returned slot, and the treasury at the last slot", async () => {
  await expect.poll(sumOf).toBe(total);
  const { holding, slots } = await read();
  expect(holding).toMatchObject({ treasury: 5_000n, addresses: COUNT });
  expect(slots.size).toBe(COUNT);
  for (const slot of slots.values()) expect(slot).toBeLessThanOrEqual(holding.height);
});

test("money swept during the read is never missed, and at rest nothing is counted twice", { timeout: 60_000 }, async () => {
  const connection = chain.connect();
  let isSweeping = true;
  const sweep = async () => {
    for (const owner of owners.slice(0, SWEPT)) {
      const { blockhash } = await connection.getLatestBlockhash();
      const moved = createTransferInstruction(accountOf(owner.publicKey), accountOf(treasury.publicKey), owner.publicKey, EACH);
      const transaction = new Transaction({ feePayer: treasury.publicKey, recentBlockhash: blockhash }).add(moved);
      transaction.sign(treasury, owner);
      await connection.sendRawTransaction(transaction.serialize());
      await sleep(20);
    }
    isSweeping = false;
  };
  const sweeping = sweep();
  let readings = 0;
  while (isSweeping) {
    expect(await sumOf()).toBeGreaterThanOrEqual(total);
    readings += 1;
  }
  await sweeping;
  expect(readings).toBeGreaterThan(5);
  await expect.poll(async () => (await read()).holding.treasury).toBe((BigInt(SWEPT) * EACH + 5n) * 1_000n);
  expect(await sumOf()).toBe(total);
});
