// What the demo wallet signs and refuses, on real chains, with the transactions that pages create.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { base58 } from "@scure/base";
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from "@solana/spl-token";
import {
  Connection,
  PublicKey,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { encodeFunctionData, erc20Abi, type Hex } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { readBalances } from "@/lib/chains/evm/balances";
import { findBlock } from "@/lib/chains/evm/blocks";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { evmNodes } from "@/lib/chains/evm/nodes";
import { newAddress } from "@/lib/chains/evm/testing/usdc-chain";
import { usdcOnBase } from "@/lib/chains/evm/usdc";
import { bytes } from "@/lib/chains/evm/wire";
import { USDC_MINT } from "@/lib/chains/solana/usdc";
import { demoPayments } from "./demo-transfers";
import { createDemoKeys, demoSigners } from "./demo-wallets";
import { type EvmChain, startEvmChain } from "./evm-chain/start";
import { startTestSolanaChain, type TestSolanaChain } from "./solana-chain/testing";

const keys = createDemoKeys();
const { evm: evmDemo, solana: solanaDemo } = demoSigners(keys);
const payer = new PublicKey(solanaDemo.address);
const mint = new PublicKey(USDC_MINT);
const owner = PublicKey.unique();
const to = { base: newAddress(), solana: owner.toBase58(), settlement: newAddress(), usdcMint: USDC_MINT };
const pay = demoPayments(keys);
const dataDir = mkdtempSync(join(tmpdir(), "demo-transfers-"));
let evm: EvmChain;
let solana: TestSolanaChain;
let connection: Connection;

beforeAll(async () => {
  const gasFor = [evmDemo.address as Hex];
  [evm, solana] = await Promise.all([
    startEvmChain({ dataDir, minterKey: generatePrivateKey(), gasFor, blockTimeMs: 100 }),
    startTestSolanaChain(),
  ]);
  setSandboxEvmNodes([evm.url()]);
  connection = new Connection(solana.url, "confirmed");
  await evm.mint(evmDemo.address as Hex, 100_000_000n);
  await solana.airdrop(solanaDemo.address, 10_000_000_000n);
  await solana.faucet(solanaDemo.address, 100_000_000n);
});
afterAll(async () => {
  for (const name of ["sandbox EVM nodes", "EVM nodes"]) forgetSingleton(name);
  await evm?.stop();
  await solana?.remove();
  rmSync(dataDir, { recursive: true, force: true });
});

const transferCall = (receiver: string, units: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [receiver as Hex, units] });

async function unitsOnBase(account: Hex): Promise<bigint | undefined> {
  const latest = await findBlock("latest");
  return (await readBalances({ token: usdcOnBase, accounts: [account], blockHash: latest?.hash ?? "0x" }))[0];
}

test("it sends USDC to the owner's own deposit address on the EVM chain", async () => {
  const call = { chain: "evm" as const, to: usdcOnBase.toUpperCase().replace("0X", "0x"), data: transferCall(to.base, 7_250_000n) };
  expect(await pay(call, to)).toMatch(/^0x[0-9a-f]{64}$/);
  expect(await unitsOnBase(to.base)).toBe(7_250_000n);
});

const approval = (spender: string, units: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender as Hex, units] });

async function allowanceOf(spender: Hex): Promise<bigint> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "allowance", args: [evmDemo.address as Hex, spender] });
  return BigInt(await evmNodes().callFirst((node) => node.call("eth_call", [{ to: usdcOnBase, data }, "latest"], bytes)));
}

test("it approves the settlement contract and revokes that; without a contract it approves nothing", async () => {
  const allow = (units: bigint) => ({ chain: "evm" as const, to: usdcOnBase, data: approval(to.settlement, units) });
  expect(await pay(allow(7_000_000n), to)).toMatch(/^0x[0-9a-f]{64}$/);
  expect(await allowanceOf(to.settlement)).toBe(7_000_000n);
  expect(await pay(allow(0n), to)).toMatch(/^0x[0-9a-f]{64}$/);
  expect(await allowanceOf(to.settlement)).toBe(0n);
  expect(await pay(allow(1n), { ...to, settlement: null })).toBeNull();
  expect(await pay({ ...allow(1n), value: "0x1" }, to)).toBeNull();
});

test("on the EVM chain it sends nothing else: no other receiver, token, call or value, and no trailing data", async () => {
  const good = { chain: "evm" as const, to: usdcOnBase, data: transferCall(to.base, 1n) };
  const others = [
    { ...good, data: transferCall(newAddress(), 1n) },
    { ...good, to: newAddress() },
    { ...good, data: approval(to.base, 1n) },
    { ...good, data: transferCall(to.settlement, 1n) },
    { ...good, value: "0x1" },
    { ...good, value: "1" },
    { ...good, data: `${good.data}00` },
    { ...good, data: `${good.data}${good.data.slice(2)}` },
    { ...good, data: good.data.slice(0, -2) },
    { ...good, data: "0x" },
    { ...good, data: "" },
  ];
  const before = await unitsOnBase(evmDemo.address as Hex);
  for (const other of others) expect(await pay(other, to), JSON.stringify(other)).toBeNull();
  expect(await unitsOnBase(evmDemo.address as Hex)).toBe(before);
});

const source = getAssociatedTokenAddressSync(mint, payer);
const destination = getAssociatedTokenAddressSync(mint, owner, true);
const createTokenAccount = createAssociatedTokenAccountIdempotentInstruction(payer, destination, owner, mint);
const transfer = (units: bigint) => createTransferCheckedInstruction(source, mint, destination, payer, units, 6);

async function written(instructions: readonly TransactionInstruction[], feePayer = payer): Promise<Transaction> {
  const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
  return new Transaction({ feePayer, blockhash, lastValidBlockHeight }).add(...instructions);
}

const bytesOf = (transaction: Transaction): string =>
  transaction.serialize({ requireAllSignatures: false, verifySignatures: false }).toString("base64");

test("it signs a transfer on Solana to the owner's own token account, which is created first when missing", async () => {
  for (const instructions of [[createTokenAccount, transfer(3_000_000n)], [transfer(2_000_000n)]]) {
    const transaction = await written(instructions);
    const signature = await pay({ chain: "solana", transaction: bytesOf(transaction) }, to);
    transaction.addSignature(payer, Buffer.from(base58.decode(signature ?? "")));
    expect(await connection.sendRawTransaction(transaction.serialize())).toBe(signature);
    await vi.waitFor(
      async () => expect((await connection.getSignatureStatus(signature ?? "")).value?.confirmationStatus).toBe("finalized"),
      30_000,
    );
  }
  expect((await connection.getTokenAccountBalance(destination)).value.amount).toBe("5000000");
});

test("on Solana it signs nothing else, whatever accompanies a valid transfer", async () => {
  const stranger = PublicKey.unique();
  const strange = getAssociatedTokenAddressSync(mint, stranger, true);
  const sol = SystemProgram.transfer({ fromPubkey: payer, toPubkey: stranger, lamports: 1n });
  const unlike = (change: (instruction: TransactionInstruction) => void) => {
    const changed = transfer(1n);
    change(changed);
    return [changed];
  };
  const instructions: TransactionInstruction[][] = [
    [sol],
    [transfer(1n), sol],
    [sol, transfer(1n)],
    [createTokenAccount, sol],
    [createTokenAccount],
    [createTokenAccount, createTokenAccount, transfer(1n)],
    [transfer(1n), transfer(1n)],
    [createTransferCheckedInstruction(source, mint, strange, payer, 1n, 6)],
    [createTransferCheckedInstruction(source, PublicKey.unique(), destination, payer, 1n, 6)],
    [createAssociatedTokenAccountIdempotentInstruction(payer, strange, stranger, mint), transfer(1n)],
    unlike((one) => one.data.writeUInt8(9, 0)), // CloseAccount
    unlike((one) => one.data.writeUInt8(13, 0)), // ApproveChecked
    unlike((one) => Object.assign(one, { data: Buffer.concat([one.data, Buffer.alloc(1)]) })),
    unlike((one) => one.keys.push({ pubkey: stranger, isSigner: false, isWritable: true })),
    unlike((one) => Object.assign(one, { programId: stranger })),
  ];
  for (const some of instructions) expect(await pay({ chain: "solana", transaction: bytesOf(await written(some)) }, to)).toBeNull();
});

test("it signs no transaction that another key pays for or signs, no versioned one, and no invalid bytes", async () => {
  const other = PublicKey.unique();
  const foreign = createTransferCheckedInstruction(getAssociatedTokenAddressSync(mint, other, true), mint, destination, other, 1n, 6);
  const { blockhash: recentBlockhash } = await connection.getLatestBlockhash();
  const newer = new VersionedTransaction(
    new TransactionMessage({ payerKey: payer, recentBlockhash, instructions: [transfer(1n)] }).compileToV0Message(),
  );
  const refused = [
    bytesOf(await written([transfer(1n)], other)),
    bytesOf(await written([foreign], other)),
    Buffer.from(newer.serialize()).toString("base64"),
    bytesOf(await written([transfer(1n)])).slice(0, -8),
    Buffer.from("127.0.0.1 wants you to sign in with your Solana account:").toString("base64"),
    "",
  ];
  for (const transaction of refused) expect(await pay({ chain: "solana", transaction }, to)).toBeNull();
});
