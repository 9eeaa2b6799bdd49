// Transactions signed for a sandbox move nothing on any other chain, even where the same wallet has USDC: tested against chains with the
// public ones' mint and chain ID.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getAssociatedTokenAddressSync } from "@solana/spl-token";
import { Connection, Keypair, PublicKey } from "@solana/web3.js";
import { encodeFunctionData, erc20Abi, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { writeSolanaTransfer } from "@/components/wallet/payment/solana-transfer";
import { readBalances } from "@/lib/chains/evm/balances";
import { findBlock } from "@/lib/chains/evm/blocks";
import { createNodes } from "@/lib/chains/evm/nodes";
import { newAddress } from "@/lib/chains/evm/testing/usdc-chain";
import { broadcast } from "@/lib/chains/evm/transactions";
import { usdcOnBase } from "@/lib/chains/evm/usdc";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { USDC_MINT } from "@/lib/chains/solana/usdc";
import { type EvmChain, startEvmChain } from "./evm-chain/start";
import { startTestSolanaChain, type TestSolanaChain } from "./solana-chain/testing";

const ownMint = Keypair.generate().publicKey.toBase58();
const wallet = Keypair.generate();
const address = wallet.publicKey.toBase58();
const to = Keypair.generate().publicKey.toBase58();
const target = { mint: ownMint, to, tokenAccount: deriveTokenAccount(to, ownMint) };
let sandbox: TestSolanaChain;
let publicChain: TestSolanaChain;
let connections: { sandbox: Connection; publicChain: Connection };

beforeAll(async () => {
  [sandbox, publicChain] = await Promise.all([startTestSolanaChain({ usdcMint: ownMint }), startTestSolanaChain()]);
  connections = { sandbox: new Connection(sandbox.url, "confirmed"), publicChain: new Connection(publicChain.url, "confirmed") };
  for (const chain of [sandbox, publicChain]) {
    await chain.airdrop(address, 10_000_000_000n);
    await chain.faucet(address, 50_000_000n);
  }
  const real = getAssociatedTokenAddressSync(new PublicKey(USDC_MINT), wallet.publicKey);
  await vi.waitFor(async () => expect((await connections.publicChain.getTokenAccountBalance(real)).value.amount).toBe("50000000"), 30_000);
});
afterAll(async () => {
  await sandbox?.remove();
  await publicChain?.remove();
});

async function unitsElsewhere(): Promise<string[]> {
  const accounts = await connections.publicChain.getParsedTokenAccountsByOwner(wallet.publicKey, { mint: new PublicKey(USDC_MINT) });
  return accounts.value.map(({ account }) => account.data.parsed.info.tokenAmount.amount);
}

test("a transfer of the sandbox's USDC on Solana does not run elsewhere, neither with its blockhash nor with a public one", async () => {
  const { transaction } = await writeSolanaTransfer(connections.sandbox, target, { payer: wallet.publicKey, units: 5_000_000n });
  transaction.sign(wallet);
  await expect(connections.publicChain.sendRawTransaction(transaction.serialize())).rejects.toThrow(/Blockhash not found/);

  // As a wallet does that replaces the blockhash.
  transaction.recentBlockhash = (await connections.publicChain.getLatestBlockhash()).blockhash;
  transaction.sign(wallet);
  await expect(connections.publicChain.sendRawTransaction(transaction.serialize())).rejects.toThrow(/Simulation failed/);
  const forced = await connections.publicChain.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
  await vi.waitFor(async () => expect((await connections.publicChain.getSignatureStatus(forced)).value?.err).toBeTruthy(), 30_000);
  expect(await unitsElsewhere()).toEqual(["50000000"]);
});

test("in its own sandbox the same transfer runs, and creates the deposit address' token account", async () => {
  const { transaction } = await writeSolanaTransfer(connections.sandbox, target, { payer: wallet.publicKey, units: 5_000_000n });
  transaction.sign(wallet);
  await connections.sandbox.sendRawTransaction(transaction.serialize());
  const account = new PublicKey(target.tokenAccount);
  await vi.waitFor(async () => expect((await connections.sandbox.getTokenAccountBalance(account)).value.amount).toBe("5000000"), 30_000);
  const again = await writeSolanaTransfer(connections.sandbox, target, { payer: wallet.publicKey, units: 1n });
  expect(again.transaction.instructions).toHaveLength(1);
});

test("a transfer for the sandbox's EVM chain ID is refused on a chain with Base's ID", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "elsewhere-"));
  const account = privateKeyToAccount(generatePrivateKey());
  const base: EvmChain = await startEvmChain({ dataDir, minterKey: generatePrivateKey(), gasFor: [account.address], chainId: 8_453 });
  try {
    await base.mint(account.address, 50_000_000n);
    const nodes = createNodes({ urls: [base.url()], chainId: 8_453 });
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [newAddress(), 5_000_000n] });
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n };
    const raw = await account.signTransaction({ type: "eip1559", chainId: 31_337, nonce: 0, ...fees, gas: 100_000n, to: usdcOnBase, data });
    expect(await broadcast(raw, nodes)).toMatchObject({ kind: "refused", reason: expect.stringMatching(/chain/i) });
    const latest = await findBlock("latest", nodes);
    const accounts: Hex[] = [account.address];
    expect(await readBalances({ token: usdcOnBase, accounts, blockHash: latest?.hash ?? "0x" }, nodes)).toEqual([50_000_000n]);
  } finally {
    await base.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
