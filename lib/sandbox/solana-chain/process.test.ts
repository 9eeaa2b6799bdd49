import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Keypair, PublicKey } from "@solana/web3.js";
import { expect, onTestFinished, test } from "vitest";
import { SolanaNodes } from "@/lib/chains/solana/nodes";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { readTokenBalances } from "@/lib/chains/solana/usdc";
import { startSolanaChain } from "./process";
import { solanaProgram } from "./testing";

const scriptPath = solanaProgram();

async function start(usdcMint: string) {
  const dataDir = mkdtempSync(join(tmpdir(), "solana-start-"));
  const urls: string[] = [];
  const chain = await startSolanaChain({ dataDir, usdcMint, slotMs: 20, scriptPath, onUrl: (url) => urls.push(url) });
  onTestFinished(async () => {
    await chain.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return { chain, urls };
}

test("a killed chain restarts automatically at its URL, with its whole state", async () => {
  const mint = Keypair.generate().publicKey.toBase58();
  const { chain, urls } = await start(mint);
  const owner = Keypair.generate().publicKey.toBase58();
  await chain.faucet(owner, 5_000_000n);
  process.kill(chain.pid() ?? 0, "SIGKILL");
  await expect.poll(() => chain.isWell()).toBe(false);
  await expect(chain.faucet(owner, 1n)).rejects.toThrow("The sandbox's Solana chain is starting again: try in a moment.");
  await expect.poll(() => chain.isWell()).toBe(true);
  await chain.faucet(owner, 1n);
  expect(urls).toEqual([chain.url()]);
  const nodes = new SolanaNodes({ urls, genesisHash: chain.genesisHash });
  const account = deriveTokenAccount(owner, mint);
  await expect.poll(async () => (await readTokenBalances(nodes, [account])).get(account)?.value).toBe(5_000_001n);
});

test("the mint is at the configured address, on or off the curve", async () => {
  const [offCurve] = PublicKey.findProgramAddressSync([Buffer.from("mint")], PublicKey.default);
  const { chain } = await start(offCurve.toBase58());
  expect(chain.usdcMint).toBe(offCurve.toBase58());
  await chain.faucet(Keypair.generate().publicKey.toBase58(), 1n);
});

test("a failed start says why, and leaves nothing running", async () => {
  await expect(startSolanaChain({ dataDir: "/dev/null", usdcMint: PublicKey.default.toBase58(), scriptPath })).rejects.toThrow(
    "The Solana chain ended before it was ready",
  );
});
