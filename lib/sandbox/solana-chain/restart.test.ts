// The state that survives the chain's process, however it ends.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { getAccount, getAssociatedTokenAddressSync } from "@solana/spl-token";
import { Connection, Keypair, PublicKey, SystemProgram, Transaction } from "@solana/web3.js";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { USDC_MINT } from "@/lib/chains/solana/usdc";
import { bundleProgram } from "@/lib/db/testing/programs";
import { isLong } from "@/lib/db/testing/sample";
import { type SolanaProcess, type SolanaProcessOptions, startSolanaProcess } from "./process";
import { solanaProgram } from "./testing";

const mint = new PublicKey(USDC_MINT);

const SENT = isLong ? 2_500 : 1_300;

const scriptPath = solanaProgram();

let dataDir: string;
beforeEach((context) => {
  const made = mkdtempSync(join(tmpdir(), "solana-restart-"));
  dataDir = made;
  // Handlers run in reverse order, so the chains have ended by then.
  context.onTestFinished(() => rmSync(made, { recursive: true, force: true }));
});

const journalPath = () => join(dataDir, "chains", "solana.journal");

/** Stopped with the test. */
async function start(options: Partial<SolanaProcessOptions> = {}): Promise<SolanaProcess & { connection: Connection }> {
  const chain = await startSolanaProcess({ dataDir, usdcMint: USDC_MINT, slotMs: 20, scriptPath, ...options });
  onTestFinished(async () => void (await chain.stop()));
  return { ...chain, connection: new Connection(chain.url, "processed") };
}

async function kill({ pid, ended }: SolanaProcess, signal: NodeJS.Signals): Promise<void> {
  process.kill(pid, signal);
  await ended;
}

test.each(["SIGTERM", "SIGKILL"] as const)("after %s the chain keeps its state, with new slots and blockhashes", async (signal) => {
  const owner = Keypair.generate();
  const first = await start();
  const signatures: string[] = [];
  for (let units = 1n; units <= 20n; units++) signatures.unshift(await first.faucet(owner.publicKey.toBase58(), units));
  signatures.unshift(await first.airdrop(owner.publicKey.toBase58(), 5_000_000n));
  const before = { slot: await first.connection.getSlot(), ...(await first.connection.getLatestBlockhash()) };
  const height = await first.connection.getBlockHeight();
  await kill(first, signal);

  const second = await start();
  expect(second.genesisHash).toBe(first.genesisHash);
  expect(second.faucetAddress).toBe(first.faucetAddress);
  const account = getAssociatedTokenAddressSync(mint, owner.publicKey);
  expect((await getAccount(second.connection, account, "finalized")).amount).toBe(210n);
  expect(await second.connection.getBalance(owner.publicKey, "finalized")).toBe(5_000_000);
  const listed = await second.connection.getSignaturesForAddress(account, {}, "finalized");
  expect(listed.map((entry) => entry.signature)).toEqual(signatures.slice(1));
  const oldest = await second.connection.getTransaction(signatures.at(-1) ?? "", {
    maxSupportedTransactionVersion: 0,
    commitment: "confirmed",
  });
  expect(oldest?.meta?.postTokenBalances?.[0]?.uiTokenAmount.amount).toBe("1");
  expect(await second.connection.getSlot("finalized")).toBeGreaterThanOrEqual(before.slot);
  expect(await second.connection.getBlockHeight()).toBeGreaterThan(height);
  const after = await second.connection.getLatestBlockhash();
  expect(after.blockhash).not.toBe(before.blockhash);
  expect(after.lastValidBlockHeight).toBeGreaterThan(before.lastValidBlockHeight);
});

test("a transaction signed before a restart is accepted once after it, and a replay is recognized", async () => {
  const [from, to] = [Keypair.generate(), Keypair.generate().publicKey];
  const first = await start({ slotMs: 400 });
  await first.airdrop(from.publicKey.toBase58(), 10_000_000n);
  const { blockhash } = await first.connection.getLatestBlockhash();
  const newTransfer = (lamports: number) => {
    const transaction = new Transaction().add(SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports }));
    transaction.recentBlockhash = blockhash;
    transaction.feePayer = from.publicKey;
    transaction.sign(from);
    return transaction.serialize();
  };
  const [sent, kept] = [newTransfer(1_000_000), newTransfer(2_000_000)];
  await first.connection.sendRawTransaction(sent);
  await kill(first, "SIGKILL");
  const second = await start({ slotMs: 400 });
  await expect(second.connection.sendRawTransaction(sent)).rejects.toThrow("already been processed");
  await second.connection.sendRawTransaction(kept);
  expect(await second.connection.getBalance(to)).toBe(3_000_000);
});

test("a blockhash expires after 150 blocks, and transactions signed with it never run", async () => {
  const chain = await start({ slotMs: 5 });
  const from = Keypair.generate();
  await chain.airdrop(from.publicKey.toBase58(), 10_000_000n);
  const { blockhash, lastValidBlockHeight } = await chain.connection.getLatestBlockhash();
  expect(lastValidBlockHeight - (await chain.connection.getBlockHeight())).toBeGreaterThan(120);
  const transaction = new Transaction().add(SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: from.publicKey, lamports: 1 }));
  transaction.recentBlockhash = blockhash;
  transaction.feePayer = from.publicKey;
  transaction.sign(from);
  expect((await chain.connection.isBlockhashValid(blockhash)).value).toBe(true);
  await vi.waitUntil(async () => (await chain.connection.getBlockHeight()) > lastValidBlockHeight, { timeout: 30_000, interval: 25 });
  expect((await chain.connection.isBlockhashValid(blockhash)).value).toBe(false);
  await expect(chain.connection.sendRawTransaction(transaction.serialize())).rejects.toThrow("Blockhash not found");
  const signature = await chain.connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
  const { value } = await chain.connection.getSignatureStatus(signature, { searchTransactionHistory: true });
  expect(value).toBeNull();
  expect((await chain.connection.getFeeForMessage(transaction.compileMessage())).value).toBeNull();
});

test(`${SENT} signatures, more than a page, are listed newest first, without a gap`, { timeout: 120_000 }, async () => {
  const chain = await start();
  const owner = Keypair.generate().publicKey;
  const sent: string[][] = [];
  for (let batch = 0; batch < SENT / 100; batch++)
    sent.push(await Promise.all(Array.from({ length: 100 }, () => chain.airdrop(owner.toBase58(), 1_000_000n))));
  const connection = new Connection(chain.url, "confirmed");
  const last = sent.at(-1)?.at(-1) ?? "";
  while ((await connection.getSignatureStatus(last)).value?.confirmationStatus === "processed");
  const listed: string[] = [];
  const pages: number[] = [];
  for (let before: string | undefined; ; before = listed.at(-1)) {
    const page = await connection.getSignaturesForAddress(owner, { before, limit: 1_000 });
    if (page.length === 0) break;
    pages.push(page.length);
    listed.push(...page.map(({ signature }) => signature));
  }
  expect(pages).toEqual(isLong ? [1_000, 1_000, 500] : [1_000, 300]);
  // Requests within a batch may overtake each other; batches do not.
  for (const [index, batch] of sent.reverse().entries())
    expect(new Set(listed.slice(index * 100, index * 100 + 100))).toEqual(new Set(batch));
  const between = await connection.getSignaturesForAddress(owner, { until: listed[1_200], before: listed[1_000] });
  expect(between.map(({ signature }) => signature)).toEqual(listed.slice(1_001, 1_200));
  expect(await connection.getSignaturesForAddress(owner, { before: "5".repeat(87) })).toEqual([]);
});

test("a cut-off last line is dropped; any other damage prevents the start and says what to do", async () => {
  const owner = Keypair.generate().publicKey;
  const first = await start();
  await first.airdrop(owner.toBase58(), 1_000_000n);
  await kill(first, "SIGKILL");
  const whole = readFileSync(journalPath(), "utf8");
  appendFileSync(journalPath(), whole.trimEnd().split("\n").at(-1)?.slice(0, 70) ?? "");
  const second = await start();
  expect(await second.connection.getBalance(owner)).toBe(1_000_000);
  await second.stop();
  for (const damaged of [whole.replace('"slots":5', '"slots":6'), whole.replace(/^.*\n/, ""), ""]) {
    writeFileSync(journalPath(), damaged);
    await expect(start()).rejects.toThrow(/solana\.journal is damaged in line \d+: restore it from a backup, or delete all of the sandbox/);
  }
});

test("the journal holds the faucet's key, and only its owner may read it", async () => {
  const chain = await start();
  await chain.stop();
  expect(statSync(journalPath()).mode & 0o777).toBe(0o600);
});

test("two chains run side by side; two on one data directory do not", async () => {
  const otherDir = mkdtempSync(join(tmpdir(), "solana-other-"));
  onTestFinished(() => rmSync(otherDir, { recursive: true, force: true }));
  const [one, other] = await Promise.all([start(), start({ dataDir: otherDir })]);
  expect(one.genesisHash).not.toBe(other.genesisHash);
  const owner = Keypair.generate().publicKey;
  await one.airdrop(owner.toBase58(), 1_000_000n);
  expect(await other.connection.getBalance(owner)).toBe(0);
  await expect(start()).rejects.toThrow("already in use");
});

test("a taken port, of either of the two, is an error that says so", async () => {
  const first = await start();
  const otherDir = mkdtempSync(join(tmpdir(), "solana-other-"));
  onTestFinished(() => rmSync(otherDir, { recursive: true, force: true }));
  const port = Number(new URL(first.url).port);
  await expect(start({ dataDir: otherDir, port })).rejects.toThrow("EADDRINUSE");
  await expect(start({ dataDir: otherDir, port: port - 1 })).rejects.toThrow("EADDRINUSE");
  await first.stop();
  expect((await start({ port })).url).toBe(first.url);
});

test("the chain ends when its parent is killed with -9, and the next one continues immediately", async () => {
  const modulePath = bundleProgram("lib/sandbox/solana-chain/process.ts");
  const program = `
    import { startSolanaProcess } from ${JSON.stringify(modulePath)};
    const chain = await startSolanaProcess({ dataDir: ${JSON.stringify(dataDir)}, usdcMint: ${JSON.stringify(USDC_MINT)}, scriptPath: ${JSON.stringify(scriptPath)} });
    console.log(JSON.stringify(chain));`;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
  const orphan = JSON.parse(line) as { url: string; pid: number; genesisHash: string };
  onTestFinished(() => {
    try {
      process.kill(orphan.pid, "SIGKILL");
    } catch {
      // It has ended, as expected.
    }
  });
  parent.kill("SIGKILL");
  const next = await start();
  expect(next.genesisHash).toBe(orphan.genesisHash);
  await expect(fetch(orphan.url)).rejects.toThrow();
});
