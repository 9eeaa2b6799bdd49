// A thief who owns the database and the jobs process, and so speaks to the signer's socket at will, with wallets of their own. At most one
// day's limit is stolen. The signer is a real process, which the thief's supervisor may kill.

import type { Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type ChainId, chainIds } from "@/lib/base/chains";
import { newAccountId, randomBase62 } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { encodeAuthorizedTransfer, encodeTransfer, usdcOnBase } from "@/lib/chains/evm/usdc";
import { sample } from "@/lib/db/testing/sample";
import { startTestSolanaChain, type TestSolanaChain } from "@/lib/sandbox/solana-chain/testing";
import { type KeyWallet, newKeyWallet, USD } from "../withdrawals/testing/world";
import { writeApprovalText } from "./limits/operator-approval";
import { createWords } from "./mnemonic";
import type { Signer } from "./signer";
import { createSignerProcess, type SignerProcess, sendRaw } from "./testing/signer-process";
import { connectSigner, type SignerConnection } from "./wire/connect";
import { endOfOrder, type Order, type SignedOrder, writeOrderText } from "./withdrawal-order";

const DAY_MS = 24 * 3_600_000;
const LIMIT = 12n * USD;

const [thief, onSolana] = [newKeyWallet("evm"), newKeyWallet("solana")];
const operator = privateKeyToAccount(generatePrivateKey());
let chain: TestSolanaChain;
let signer: SignerProcess;
let link: SignerConnection | null = null;

beforeAll(async () => {
  chain = await startTestSolanaChain({ usdcMint: onSolana.address });
});
afterAll(() => chain?.remove());

beforeEach(async () => {
  vi.stubEnv("WITHDRAWAL_SERVICE_DAILY_LIMIT_USD", "12");
  vi.stubEnv("WITHDRAWAL_APPROVAL_ABOVE_USD", "6");
  vi.stubEnv("TREASURY_DAILY_RENT_SOL", "0.01");
  vi.stubEnv("RELAYER_DAILY_FEES_ETH", "0.02");
  const nodes = { evmUrl: "http://127.0.0.1:9", solanaUrl: chain.url, genesisHash: chain.genesisHash };
  signer = createSignerProcess({ words: createWords(), operator: operator.address, ...nodes });
  await signer.start();
});
afterEach(async () => {
  link?.stop();
  link = null;
  await signer.remove();
  vi.unstubAllEnvs();
});

/** The signer as the service reaches it. */
async function reach(): Promise<Signer> {
  link?.stop();
  link = await connectSigner(signer.socket, async () => null);
  return link.signer;
}

async function startAgain(clockMs = 0): Promise<Signer> {
  await signer.kill();
  await signer.start(clockMs);
  return reach();
}

function newOrder(changes: Partial<Order> = {}): Order {
  const issuedAt = new Date();
  const { chain: on = "base" } = changes;
  const destination = on === "base" ? thief.address : onSolana.address;
  const terms = { amount: nanoUsd(5n * USD), fee: nanoUsd(0), opensAccount: false, nonce: randomBase62(22) };
  return { accountId: newAccountId(), chain: on, destination, ...terms, issuedAt, validUntil: endOfOrder(issuedAt), ...changes };
}

async function sign(order: Order, by: KeyWallet = thief): Promise<SignedOrder> {
  return { ...order, signer: { chain: by.chain, address: by.address }, signature: await by.sign(writeOrderText(order)) };
}

/** Everything that came out, by what a chain carries out once. */
class Loot {
  readonly #units = new Map<string, bigint>();

  /** Resolves with the refusal, or "paid". */
  async take(from: Signer, order: SignedOrder): Promise<string> {
    try {
      if (order.chain === "base") {
        const { authorization } = await from.signPayoutOnBase(order, { nonce: 1, gas: 100_000n, maxFeePerGas: 1n });
        this.#units.set(authorization.nonce, authorization.value);
      } else {
        this.#units.set((await from.signPayoutOnSolana(order)).signature, order.amount / 1_000n);
      }
      return "paid";
    } catch (error) {
      return (error as { refusal?: string }).refusal ?? (error as Error).name;
    }
  }

  get nanoUsd(): bigint {
    return [...this.#units.values()].reduce((sum, units) => sum + units * 1_000n, 0n);
  }
}

const ask = async (operation: string, order: unknown): Promise<string> =>
  (await sendRaw(signer.socket, `${JSON.stringify({ id: 1, operation, order })}\n`)).join("");

test("an order that its wallet did not sign, or that was changed after it was signed, is not paid", async () => {
  const [held, loot] = [await reach(), new Loot()];
  for (const on of chainIds) {
    // Of Solana's wallets: an unknown signature of Ethereum's might be a contract's, which only a node can tell.
    const order = await sign(newOrder({ chain: on }), onSolana);
    const [other, another] = [newKeyWallet("evm"), newKeyWallet("solana")];
    const changes: Partial<SignedOrder>[] = [
      { amount: nanoUsd(6n * USD) },
      { destination: on === "base" ? other.address : newKeyWallet("solana").address },
      { accountId: newAccountId() },
      { nonce: randomBase62(22) },
      { validUntil: new Date(order.validUntil.getTime() + 1) },
      { signer: { chain: "solana", address: another.address } },
      { signature: await another.sign(writeOrderText(order)) },
    ];
    for (const change of changes)
      expect(await loot.take(held, { ...order, ...change }), JSON.stringify(Object.keys(change))).toBe("signature");
    const crossed = { ...order, chain: (on === "base" ? "solana" : "base") as ChainId };
    expect(await loot.take(held, crossed)).toBe("order");
    const elsewhere = writeOrderText(order).replace(/Chain: .*/, "Chain: Base (1)");
    expect(await loot.take(held, { ...order, signature: await onSolana.sign(elsewhere) })).toBe("signature");
  }
  expect(loot.nanoUsd).toBe(0n);
}, 60_000);

test("no more than a day's limit leaves: not by more orders, by repeating them, by a kill, nor by a clock that was set back", async () => {
  const loot = new Loot();
  let held = await reach();
  const orders = await Promise.all([newOrder(), newOrder(), newOrder(), newOrder()].map((order) => sign(order)));
  const outcomes = await Promise.all([...orders, ...orders].map((order) => loot.take(held, order)));
  expect(outcomes.filter((outcome) => outcome === "paid").length).toBeGreaterThanOrEqual(2);
  expect(loot.nanoUsd).toBe(10n * USD);
  for (const clockMs of sample("clocks at a start", [0, -30_000, -DAY_MS, -2 * DAY_MS, -8 * DAY_MS, DAY_MS / 2], 2)) {
    held = await startAgain(clockMs);
    for (const order of [...orders, await sign(newOrder())]) await loot.take(held, order);
    expect(loot.nanoUsd, `${clockMs}`).toBeLessThanOrEqual(LIMIT);
    expect(loot.nanoUsd, `${clockMs}`).toBe(10n * USD);
  }
  held = await startAgain(-DAY_MS);
  expect(await loot.take(held, await sign(newOrder({ amount: nanoUsd(USD) })))).toBe("clock");
}, 120_000);

test("an order of Solana has one transaction that can run, however often it is asked for and whatever is killed", async () => {
  const ends = new Map<string, number>();
  const order = await sign(newOrder({ chain: "solana" }));
  for (let round = 0; round < 4; round++) {
    const held = await startAgain();
    for (let times = 0; times < 2; times++) {
      const signed = await held.signPayoutOnSolana(order).catch((error: { refusal?: string }) => error.refusal);
      if (typeof signed !== "object") {
        expect(signed).toBe("paid");
        continue;
      }
      // Another one exists only once the chain's final height is past the end of each before it.
      const height = await chain.connect().getBlockHeight("finalized");
      for (const [signature, end] of ends) if (signature !== signed.signature) expect(height).toBeGreaterThan(end);
      ends.set(signed.signature, signed.lastValidBlockHeight);
    }
  }
  expect(ends.size).toBeGreaterThan(0);
}, 120_000);

test("a caller cannot name the end of a transaction, nor give a payout back to the limit", async () => {
  const order = await sign(newOrder({ chain: "solana" }));
  const raw = { ...order, amount: `${order.amount}`, fee: "0", operatorSignature: null };
  for (const more of [{ lastValidBlockHeight: 1 }, { slot: 1 }, { blockhash: onSolana.address }]) {
    expect(await ask("signPayoutOnSolana", { ...raw, ...more })).toContain("another form than signPayoutOnSolana takes");
  }
  for (const operation of ["dropPayout", "forget", "constructor", "__proto__", "toString"]) {
    expect(await ask(operation, raw)).toContain("This is no order to the signer");
  }
});

test("above the line nothing is paid without the operator's own signature over this very order", async () => {
  const [held, loot] = [await reach(), new Loot()];
  const order = await sign(newOrder({ amount: nanoUsd(7n * USD) }));
  const approve = (one: SignedOrder) => operator.signMessage({ message: writeApprovalText(one) });
  const foreign = privateKeyToAccount(generatePrivateKey());
  const others = [
    null,
    "",
    "0x",
    order.signature,
    await foreign.signMessage({ message: writeApprovalText(order) }),
    await operator.signMessage({ message: writeOrderText(order) }),
    await approve({ ...order, amount: nanoUsd(6n * USD) }),
    await approve({ ...order, destination: newKeyWallet("evm").address }),
    await approve({ ...order, nonce: randomBase62(22) }),
    await approve({ ...order, signer: { chain: "evm", address: newKeyWallet("evm").address } }),
  ];
  for (const operatorSignature of others) expect(await loot.take(held, { ...order, operatorSignature })).toBe("approval");
  // What the operator signed is no order of theirs.
  const approval = await approve(order);
  const asOwner = { ...order, signer: { chain: "evm", address: operator.address.toLowerCase() } as const, signature: approval };
  expect(await loot.take(held, { ...asOwner, operatorSignature: approval })).not.toBe("paid");
  expect(loot.nanoUsd).toBe(0n);
  expect(await loot.take(held, { ...order, operatorSignature: approval })).toBe("paid");
  expect(
    await loot.take(await startAgain(), { ...(await sign(newOrder({ amount: nanoUsd(7n * USD) }))), operatorSignature: approval }),
  ).toBe("approval");
}, 60_000);

test("tiny orders that open token accounts, whose rent their owners could take, end with the day's rent and stop no others", async () => {
  const [held, loot] = [await reach(), new Loot()];
  const outcomes: string[] = [];
  for (let times = 0; times < 8; times++) {
    const destination = newKeyWallet("solana").address;
    outcomes.push(
      await loot.take(held, await sign(newOrder({ chain: "solana", destination, amount: nanoUsd(1_000n), opensAccount: true }))),
    );
  }
  expect(outcomes.filter((outcome) => outcome === "paid")).toHaveLength(4);
  expect(outcomes.slice(4)).toEqual(Array.from({ length: 4 }, () => "fees"));
  for (const on of ["solana", "base"] as const)
    expect(await loot.take(held, await sign(newOrder({ chain: on, amount: nanoUsd(1_000n) }))), on).toBe("paid");
}, 60_000);

test("orders that are refused use up none of the day's fees", async () => {
  const [held, loot] = [await startAgain(), new Loot()];
  const terms = { chain: "solana", amount: nanoUsd(1_000n), opensAccount: true } as const;
  for (let times = 0; times < 12; times++) {
    const order = await sign(newOrder({ ...terms, destination: newKeyWallet("solana").address }), onSolana);
    expect(await loot.take(held, { ...order, amount: nanoUsd(2_000n) })).toBe("signature");
  }
  expect(await loot.take(held, await sign(newOrder({ ...terms, destination: newKeyWallet("solana").address })))).toBe("paid");
}, 60_000);

test("sweeps go to the treasury alone, and only of customers' addresses", async () => {
  const { treasury } = await reach();
  const sweep = { index: 1, value: "5", validAfter: "0", validBefore: "9", nonce: `0x${"1".repeat(64)}` };
  const { answer } = JSON.parse(await ask("signSweepOnBase", sweep)) as { answer: { authorization: { to: string } } };
  expect(answer.authorization.to).toBe(treasury.base);
  for (const more of [{ to: thief.address }, { authorization: { to: thief.address } }, { index: 0x7fff_fffe }, { index: 0x7fff_ff00 }]) {
    expect(await ask("signSweepOnBase", { ...sweep, ...more })).toContain('"kind":"refused"');
  }
  const onChain = { owners: [{ index: 1, units: "5" }], blockhash: onSolana.address };
  for (const more of [
    { to: onSolana.address },
    { treasury: onSolana.address },
    { owners: [{ index: 0x7fff_fffe, units: "5" }] },
    { owners: [] },
  ]) {
    expect(await ask("signSweepOnSolana", { ...onChain, ...more })).toContain('"kind":"refused"');
  }
});

test("no addresses of an index that is none of a customer's", async () => {
  for (const index of [-1, 0.5, 0x7fff_ff00, 0x7fff_fffe, 0x7fff_ffff, 2 ** 31, 2 ** 53, 1e308, "0", null, [0], { valueOf: 0 }]) {
    expect(await ask("deriveAddresses", { index }), JSON.stringify(index)).toContain('"kind":"refused"');
  }
});

const call = (data: Hex, changes: Record<string, unknown> = {}) => ({
  chainId: 31_337,
  nonce: 1,
  to: usdcOnBase,
  data,
  gas: "100000",
  maxFeePerGas: "1000000000",
  maxPriorityFeePerGas: "1",
  ...changes,
});

test("the relayer calls nothing but the treasury's transfers, and burns no more than a day's fees", async () => {
  const { treasury, relayer } = await reach();
  const transfer = (from: Hex, to: Hex) =>
    encodeAuthorizedTransfer({ from, to, value: 1n, validAfter: 0n, validBefore: 9n, nonce: `0x${"1".repeat(64)}` }, "0x12");
  const ours = transfer(thief.address as Hex, treasury.base);
  const refused = [
    call(ours, { to: thief.address }),
    call(ours, { to: treasury.base }),
    call(ours, { value: "1" }),
    call(ours, { chainId: 8_453 }),
    call("0x"),
    call(encodeTransfer(thief.address as Hex, 1n)),
    call(transfer(thief.address as Hex, relayer.address)),
    call(`${ours}00`),
    call(ours, { type: "legacy" }),
    call(ours, { accessList: [] }),
  ];
  for (const transaction of refused) expect(await ask("signForRelayer", transaction)).toContain('"kind":"refused"');
  // 0.01 ETH each, of 0.02 a day; the same nonce with another fee takes the same place.
  const dear = { gas: "1000000", maxFeePerGas: "10000000000" };
  const outcomes: string[] = [];
  for (const nonce of [1, 1, 2, 3, 4]) outcomes.push(await ask("signForRelayer", call(ours, { ...dear, nonce })));
  expect(outcomes.map((outcome) => outcome.includes('"answer"'))).toEqual([true, true, true, false, false]);
  expect(await ask("signForRelayer", call(ours, { ...dear, gas: "1000001", nonce: 1 }))).toContain("fees are too high");
});
