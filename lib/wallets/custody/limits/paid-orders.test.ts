// The signer alone, without a database, behind its codec: it pays exactly the orders that owners signed, and nothing else.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Hex, recoverTypedDataAddress } from "viem";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { type ChainId, chainIds } from "@/lib/base/chains";
import { now, nowMs, setClock } from "@/lib/base/clock";
import { newAccountId, randomBase62 } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { authorizationTypedData } from "@/lib/chains/evm/usdc";
import { setSandboxSolanaNodes } from "@/lib/chains/solana/node-urls";
import { startTestSolanaChain } from "@/lib/sandbox/solana-chain/testing";
import { asUsd, type KeyWallet, newKeyWallet } from "../../withdrawals/testing/world";
import { createWords } from "../mnemonic";
import { openSigner } from "../seed-signer";
import { endOfOrder, type Order, payoutNonce, type SignedOrder, writeOrderText } from "../withdrawal-order";
import { correctClock, type Journal, openJournal } from "./journal";

let chain: Awaited<ReturnType<typeof startTestSolanaChain>>;
beforeAll(async () => {
  chain = await startTestSolanaChain({ usdcMint: newKeyWallet("solana").address });
  setSandboxSolanaNodes([chain.url], chain.genesisHash);
});
afterAll(() => chain?.remove());

let restoreClock = () => {};
afterEach(() => {
  restoreClock();
  restoreClock = () => {};
  vi.unstubAllEnvs();
  forgetSingleton("config");
});

const [evm, solana] = [newKeyWallet("evm"), newKeyWallet("solana")];

function newOrder(chain: ChainId, changes: Partial<Order> = {}): Order {
  const issuedAt = now();
  const destination = chain === "base" ? evm.address : solana.address;
  const terms = { amount: asUsd(5), fee: nanoUsd(100_000_000), opensAccount: false, nonce: randomBase62(22) };
  return { accountId: newAccountId(), chain, destination, ...terms, issuedAt, validUntil: endOfOrder(issuedAt), ...changes };
}

async function sign(order: Order, by: KeyWallet = evm): Promise<SignedOrder> {
  return { ...order, signer: { chain: by.chain, address: by.address }, signature: await by.sign(writeOrderText(order)) };
}

/** Of the relayer's transaction that carries a payout. */
const cost = { nonce: 1, gas: 100_000n, maxFeePerGas: 1n };

const pay = async (signer: Awaited<ReturnType<typeof openSigner>>, order: SignedOrder) =>
  order.chain === "base" ? signer.signPayoutOnBase(order, cost) : signer.signPayoutOnSolana(order);

test("a payout on Base is the treasury's authorization of exactly the signed order, valid for an hour", async () => {
  const signer = await openSigner(createWords(), "sandbox");
  for (const by of [evm, solana]) {
    const order = await sign(newOrder("base"), by);
    const { authorization, signature } = await signer.signPayoutOnBase(order, cost);
    expect(authorization).toMatchObject({ from: signer.treasury.base, to: evm.address, value: 5_000_000n, nonce: payoutNonce(order) });
    expect(Number(authorization.validBefore)).toBe(Math.floor(nowMs() / 1_000) + 3_600);
    const typed = authorizationTypedData(authorization, 31_337);
    expect(await recoverTypedDataAddress({ ...typed, signature })).toBe(signer.treasury.base);
  }
});

test("one order text has one authorization nonce, however often it is signed, and every other text another", async () => {
  const signer = await openSigner(createWords(), "sandbox");
  const order = newOrder("base");
  const nonces = new Set<Hex>();
  for (const other of [order, { ...order }, { ...order, nonce: randomBase62(22) }, { ...order, amount: asUsd(6) }, newOrder("base")]) {
    nonces.add(payoutNonce(other));
  }
  expect(nonces.size).toBe(4);
  const [first, again] = [await signer.signPayoutOnBase(await sign(order), cost), await signer.signPayoutOnBase(await sign(order), cost)];
  expect(again.authorization.nonce).toBe(first.authorization.nonce);
});

test.each(chainIds)("on %s any change after signing is refused", async (chain) => {
  const signer = await openSigner(createWords(), "sandbox");
  const order = await sign(newOrder(chain));
  const thief = newKeyWallet(chain === "base" ? "evm" : "solana");
  const changes: Partial<SignedOrder>[] = [
    { amount: asUsd(6) },
    { destination: thief.address },
    { fee: nanoUsd(0) },
    { nonce: randomBase62(22) },
    { accountId: newAccountId() },
    { issuedAt: new Date(order.issuedAt.getTime() - 1) },
    { validUntil: new Date(order.validUntil.getTime() + 1) },
    { signer: { chain: thief.chain, address: thief.address } },
    { signature: await thief.sign(writeOrderText(order)) },
    { signature: "0x" },
    { signature: "" },
    ...(chain === "solana" ? [{ opensAccount: true }] : []),
  ];
  for (const change of changes) {
    await expect(
      pay(signer, { ...order, ...change }),
      JSON.stringify(change, (_, v) => `${v}`),
    ).rejects.toMatchObject({
      refusal: "signature",
    });
  }
  await expect(pay(signer, order)).resolves.toBeDefined();
});

test("a signed order for the other chain, to the signer's own addresses, of fractional units or too old is refused", async () => {
  const signer = await openSigner(createWords(), "sandbox");
  const [base, onSolana] = [await sign(newOrder("base")), await sign(newOrder("solana"))];
  await expect(signer.signPayoutOnBase(onSolana, cost)).rejects.toMatchObject({ refusal: "order" });
  await expect(signer.signPayoutOnSolana(base)).rejects.toMatchObject({ refusal: "order" });
  const { treasury, relayer } = signer;
  for (const destination of [treasury.base.toLowerCase(), relayer.address.toLowerCase()]) {
    await expect(pay(signer, await sign(newOrder("base", { destination })))).rejects.toMatchObject({ refusal: "order" });
  }
  await expect(pay(signer, await sign(newOrder("solana", { destination: treasury.solana })))).rejects.toMatchObject({ refusal: "order" });
  for (const amount of [0n, -1_000n, 5_000_000_001n]) {
    await expect(pay(signer, await sign(newOrder("base", { amount: nanoUsd(amount) })))).rejects.toMatchObject({ refusal: "order" });
  }
  restoreClock = setClock(() => base.validUntil.getTime());
  await expect(pay(signer, base)).rejects.toMatchObject({ refusal: "expired" });
});

test("a nonce already paid with one text is refused with another, although both are signed", async () => {
  const signer = await openSigner(createWords(), "sandbox");
  const order = newOrder("base");
  await pay(signer, await sign(order));
  await expect(pay(signer, await sign({ ...order, amount: asUsd(6) }))).rejects.toMatchObject({ refusal: "nonce" });
  await expect(pay(signer, await sign(order))).resolves.toBeDefined();
});

test("of two concurrent texts with the same nonce one is paid", async () => {
  const signer = await openSigner(createWords(), "sandbox");
  const order = newOrder("base");
  const both = [await sign(order), await sign({ ...order, amount: asUsd(6) })];
  const outcomes = await Promise.allSettled(both.map((one) => pay(signer, one)));
  expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

test("it never pays more than the service's daily limit, and a repeated attempt of one order counts once", async () => {
  vi.stubEnv("WITHDRAWAL_SERVICE_DAILY_LIMIT_USD", "12");
  forgetSingleton("config");
  const signer = await openSigner(createWords(), "sandbox");
  const first = await sign(newOrder("base"));
  for (let n = 0; n < 5; n++) await pay(signer, first);
  await pay(signer, await sign(newOrder("solana")));
  const third = await sign(newOrder("base"));
  await expect(pay(signer, third)).rejects.toMatchObject({ refusal: "limit" });
  const start = nowMs();
  restoreClock = setClock(() => start + 24 * 3_600_000 + 1);
  await expect(pay(signer, third)).resolves.toBeDefined();
});

test("after a clock that was ahead was put right, the operator's correction lets it pay, and nothing of the limit is forgotten", async () => {
  vi.stubEnv("WITHDRAWAL_SERVICE_DAILY_LIMIT_USD", "12");
  forgetSingleton("config");
  const [directory, words, start] = [mkdtempSync(join(tmpdir(), "journal-")), createWords(), nowMs()];
  const opened: Journal[] = [];
  const setDay = (day: number) => {
    restoreClock();
    restoreClock = setClock(() => start + Math.round(day * 24 * 3_600_000));
  };
  onTestFinished(async () => {
    for (const journal of opened) await journal.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const openAgain = async () => {
    const journal = await openJournal(directory);
    opened.push(journal);
    return openSigner(words, "sandbox", { journal });
  };
  setDay(30);
  const ahead = await sign(newOrder("base", { amount: asUsd(10) }));
  await pay(await openAgain(), ahead);
  setDay(1);
  const refused = await pay(await openAgain(), await sign(newOrder("base"))).catch((error: Error) => error);
  expect(refused).toMatchObject({ refusal: "clock", message: expect.stringContaining("npm run signer -- correct-clock") });
  await correctClock(directory);
  const signer = await openAgain();
  await expect(pay(signer, await sign(newOrder("base")))).rejects.toMatchObject({ refusal: "limit" });
  await expect(pay(signer, await sign(newOrder("base", { nonce: ahead.nonce })))).rejects.toMatchObject({ refusal: "nonce" });
  await expect(pay(signer, await sign(newOrder("base", { amount: asUsd(2) })))).resolves.toBeDefined();
  setDay(1.9);
  await expect(pay(signer, await sign(newOrder("base", { amount: asUsd(1) })))).rejects.toMatchObject({ refusal: "limit" });
  setDay(2.1);
  await expect(pay(signer, await sign(newOrder("base")))).resolves.toBeDefined();
});
