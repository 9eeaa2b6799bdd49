import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { base58 } from "@scure/base";
import type { Hex } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { chainIds } from "@/lib/base/chains";
import { setClock } from "@/lib/base/clock";
import type { SessionId } from "@/lib/base/ids";
import { fromCents } from "@/lib/base/money";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { readBalances } from "@/lib/chains/evm/balances";
import { findBlock } from "@/lib/chains/evm/blocks";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { evmNodes } from "@/lib/chains/evm/nodes";
import { newAddress } from "@/lib/chains/evm/testing/usdc-chain";
import { usdcOnBase } from "@/lib/chains/evm/usdc";
import { wei } from "@/lib/chains/evm/wire";
import { setSandboxSolanaNodes } from "@/lib/chains/solana/node-urls";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { readTokenBalances, USDC_MINT } from "@/lib/chains/solana/usdc";
import { faucetAmount, hasFaucetGift, requestFaucet, setFaucet } from "@/lib/console/deposit/faucet";
import type { Owner } from "@/lib/console/owner";
import { openTestCustody } from "@/lib/console/testing/custody";
import { inTransaction } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { type CustodialWallet, openWallet } from "@/lib/wallets/custody/custodial-wallet";
import { type EvmChain, startEvmChain } from "./evm-chain/start";
import { openFaucet } from "./faucet";
import { startTestSolanaChain, type TestSolanaChain } from "./solana-chain/testing";

await openTestDatabase();

const dataDir = mkdtempSync(join(tmpdir(), "faucet-"));
const minter = generatePrivateKey();
let evm: EvmChain;
let solana: TestSolanaChain;

beforeAll(async () => {
  await openFunding();
  await openTestCustody();
  [evm, solana] = await Promise.all([startEvmChain({ dataDir, minterKey: minter, blockTimeMs: 100 }), startTestSolanaChain()]);
});
beforeEach(() => {
  setSandboxEvmNodes([evm.url()]);
  setSandboxSolanaNodes([solana.url], solana.genesisHash);
  openFaucet({ minter });
});
afterAll(async () => {
  setFaucet(undefined);
  for (const name of ["sandbox EVM nodes", "EVM nodes", "sandbox Solana nodes", "Solana nodes"]) forgetSingleton(name);
  await evm?.stop();
  await solana?.remove();
  rmSync(dataDir, { recursive: true, force: true });
});

async function newOwner(isFrozen = false): Promise<{ owner: Owner; wallet: CustodialWallet }> {
  const accountId = await fundedAccount(0);
  const wallet = await inTransaction((transaction) => openWallet(accountId, transaction));
  const signedIn = { chain: "evm" as const, address: `0x${"4f".repeat(20)}` };
  return {
    owner: {
      accountId,
      sessionId: "ses_test" as SessionId,
      wallet: signedIn,
      isFrozen,
      isLeaving: false,
      confirmedAt: new Date(0),
      spendsUntil: null,
    },
    wallet,
  };
}

async function usdcOf(account: Hex): Promise<bigint | undefined> {
  const latest = await findBlock("latest");
  return (await readBalances({ token: usdcOnBase, accounts: [account], blockHash: latest?.hash ?? "0x" }))[0];
}

async function unitsOf({ baseAddress, solanaAddress }: CustodialWallet) {
  const base = await usdcOf(baseAddress as Hex);
  const account = deriveTokenAccount(solanaAddress, USDC_MINT);
  return { base, solana: (await readTokenBalances(solanaNodes(), [account])).get(account)?.value ?? 0n };
}

test("without a sandbox there is no faucet, and a request moves nothing", async () => {
  setFaucet(undefined);
  const { owner, wallet } = await newOwner();
  expect(faucetAmount()).toBeNull();
  expect(await requestFaucet(owner, "base")).toMatchObject({ ok: false, message: expect.stringMatching(/only available in a sandbox/) });
  expect(await unitsOf(wallet)).toEqual({ base: 0n, solana: 0n });
});

test("it sends 5 test USDC to the owner's own address on the requested chain, and credits nothing itself", async () => {
  const { owner, wallet } = await newOwner();
  expect(await hasFaucetGift(owner.accountId)).toBe(false);
  const onBase = await requestFaucet(owner, "base");
  // Before its deposit shows it: a gift counts as money when the account is asked about.
  expect(await hasFaucetGift(owner.accountId)).toBe(true);
  expect(onBase).toEqual({ ok: true, amount: fromCents(500), transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
  expect(await unitsOf(wallet)).toEqual({ base: 5_000_000n, solana: 0n });
  expect(await requestFaucet(owner, "solana")).toMatchObject({ ok: true, transaction: expect.stringMatching(/^[1-9A-Za-z]{80,90}$/) });
  await vi.waitFor(async () => expect(await unitsOf(wallet)).toEqual({ base: 5_000_000n, solana: 5_000_000n }), { timeout: 30_000 });
  expect((await readBalance(owner.accountId)).posted).toBe(0n);
  expect(await checkLedger()).toEqual([]);
});

test("the signed-in wallet gets what its own transactions cost, and a wallet that asks gets test USDC too", async () => {
  const { owner, wallet } = await newOwner();
  const own = newAddress();
  const weiOf = (address: string) => evmNodes().callFirst((node) => node.call("eth_getBalance", [address, "latest"], wei));
  expect(await requestFaucet({ ...owner, wallet: { chain: "evm", address: own } }, "base")).toMatchObject({ ok: true });
  expect(await weiOf(own)).toBeGreaterThan(10n ** 17n);
  // USDC comes to the account alone.
  expect(await usdcOf(own)).toBe(0n);
  const payer = newAddress();
  expect(await requestFaucet(owner, "base", payer)).toMatchObject({ ok: true });
  expect(await weiOf(payer)).toBeGreaterThan(10n ** 17n);
  expect(await usdcOf(payer)).toBe(5_000_000n);
  expect(await unitsOf(wallet)).toMatchObject({ base: 5_000_000n });
  expect(await requestFaucet(owner, "base", "0x1")).toMatchObject({ ok: false, message: "This is not an address on Base." });

  const onSolana = base58.encode(randomBytes(32));
  expect(await requestFaucet({ ...owner, wallet: { chain: "solana", address: onSolana } }, "solana")).toMatchObject({ ok: true });
  // More than a fee and the rent of a token account.
  await vi.waitFor(async () => {
    const { value } = await solanaNodes().callAtSlot("getBalance", [onSolana, { commitment: "processed" }], z.number());
    expect(value).toBeGreaterThan(2_044_280);
  }, 30_000);
});

test("a transaction asks about gifts on its own connection: it sees what it has written itself", async () => {
  const { owner } = await newOwner();
  const undone = inTransaction(async (transaction) => {
    await transaction.faucetGift.create({
      data: { accountId: owner.accountId, day: new Date("2026-11-26"), index: 1, chain: "base", askedAt: new Date() },
    });
    expect(await hasFaucetGift(owner.accountId, transaction)).toBe(true);
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow("undone");
  expect(await hasFaucetGift(owner.accountId)).toBe(false);
});

test("it gives twenty times a day on both chains together, even for concurrent requests, and again the next day", async () => {
  const { owner, wallet } = await newOwner();
  const other = await newOwner();
  const restore = setClock(() => Date.UTC(2026, 10, 21, 23, 59));
  try {
    const requests = await Promise.all(Array.from({ length: 25 }, (_, index) => requestFaucet(owner, index % 2 === 0 ? "base" : "solana")));
    const given = requests.flatMap((answer) => (answer.ok ? [answer.transaction] : []));
    expect([given.length, new Set(given).size]).toEqual([20, 20]);
    expect(requests.find(({ ok }) => !ok)).toMatchObject({ message: expect.stringMatching(/limit of 20 requests.*midnight UTC/) });
    expect(await requestFaucet(owner, "base")).toMatchObject({ ok: false });
    expect(await requestFaucet(other.owner, "base")).toMatchObject({ ok: true });
  } finally {
    restore();
  }
  const sum = async () => Object.values(await unitsOf(wallet)).reduce<bigint>((total, units) => total + (units ?? 0n), 0n);
  await vi.waitFor(async () => expect(await sum()).toBe(100_000_000n), { timeout: 30_000 });
  const tomorrow = setClock(() => Date.UTC(2026, 10, 22));
  expect(await requestFaucet(owner, "base").finally(tomorrow)).toMatchObject({ ok: true });
});

test("two processes that mint concurrently with the same key serve all their owners", async () => {
  const owners = await Promise.all(Array.from({ length: 6 }, () => newOwner()));
  // Each opened faucet has its own queue, like each process.
  const requests = owners.flatMap(({ owner }) =>
    [1, 2].map(() => {
      openFaucet({ minter });
      return requestFaucet(owner, "base");
    }),
  );
  const given = (await Promise.all(requests)).map((answer) => (answer.ok ? answer.transaction : answer.message));
  expect(given.filter((one) => !one.startsWith("0x"))).toEqual([]);
  expect(new Set(given).size).toBe(12);
  for (const { wallet } of owners) expect((await unitsOf(wallet)).base).toBe(10_000_000n);
});

/** A port without a listener. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

test("a chain that has not started or is down is reported, and does not count against the quota", async () => {
  const { owner } = await newOwner();
  const away = { ok: false, message: expect.stringMatching(/still starting\. Nothing was sent/) as string };
  for (const name of ["sandbox EVM nodes", "sandbox Solana nodes"]) forgetSingleton(name);
  for (const chain of chainIds) expect(await requestFaucet(owner, chain)).toMatchObject(away);
  const nobody = `http://127.0.0.1:${await closedPort()}`;
  setSandboxEvmNodes([nobody]);
  setSandboxSolanaNodes([nobody], solana.genesisHash);
  for (let press = 0; press < 12; press++) for (const chain of chainIds) expect(await requestFaucet(owner, chain)).toMatchObject(away);
  setSandboxEvmNodes([evm.url()]);
  const requests = await Promise.all(Array.from({ length: 21 }, () => requestFaucet(owner, "base")));
  expect(requests.filter(({ ok }) => ok)).toHaveLength(20);
});

test("a refusal by the chain does not count against the quota, and the log says why", async () => {
  openFaucet({ minter: generatePrivateKey() });
  const { owner, wallet } = await newOwner();
  const refused = await requestFaucet(owner, "base");
  expect(refused).toMatchObject({ ok: false, message: expect.stringMatching(/rejected the transfer. Nothing was sent/) });
  openFaucet({ minter });
  const requests = await Promise.all(Array.from({ length: 21 }, () => requestFaucet(owner, "base")));
  expect(requests.filter(({ ok }) => ok)).toHaveLength(20);
  expect((await unitsOf(wallet)).base).toBe(100_000_000n);
});

test("a frozen account gets nothing, nor does one without addresses", async () => {
  const { owner, wallet } = await newOwner(true);
  expect(await requestFaucet(owner, "base")).toMatchObject({ ok: false, message: expect.stringMatching(/frozen/) });
  expect(await unitsOf(wallet)).toEqual({ base: 0n, solana: 0n });
  const without = { ...owner, isFrozen: false, accountId: await fundedAccount(0) };
  expect(await requestFaucet(without, "solana")).toMatchObject({ ok: false, message: expect.stringMatching(/not ready yet/) });
});
