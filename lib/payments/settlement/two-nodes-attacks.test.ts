// Attacks by whoever runs one of two nodes, together with a payer: a payment that one node alone shows is credited to nobody, and one that
// moved is credited once both show it. One node is the chain's own, the other a server in front of it that lies.

import { encodeAbiParameters, encodeEventTopics, type Hex, numberToHex, parseAbiParameters } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { settlementAbi } from "@/lib/chains/evm/settlement";
import { type Fault, startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { usdcAbi } from "@/lib/chains/evm/usdc";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkBooks } from "@/lib/jobs/check-books";
import { findRelayed } from "@/lib/relay/relayed";
import { getClaim, type PaymentClaim, type PaymentTerms, relayIdOf } from "../claims/claim";
import { creditPayment } from "../claims/claim-steps";
import { readCredit } from "../claims/credits";
import { claim, type SettledChain, signExact, signProof, startSettledChain } from "../testing/settled-chain";
import { settleClaim } from "./settle";

await openTestDatabase();
let chain: SettledChain;
/** Decides each answer of the node that lies; null: it tells the truth. */
let lie: ((method: string, params: readonly unknown[]) => Fault | null) | null = null;
let liar: Awaited<ReturnType<typeof startFaultyNode>>;

beforeAll(async () => {
  chain = await startSettledChain();
  liar = await startFaultyNode(chain.url(), ({ method, params }) => lie?.(method, params) ?? null);
});
beforeEach(() => {
  vi.stubEnv("SINGLE_NODE", "refuse");
  forgetSingleton("config");
});
afterEach(async () => {
  lie = null;
  setSandboxEvmNodes([chain.url()]);
  vi.unstubAllEnvs();
  for (const name of ["config", "disagreement of nodes"]) forgetSingleton(name);
  await chain.client.setAutomine(true);
  await chain.recordFinal();
  expect(await checkBooks()).toEqual([]);
});
afterAll(async () => {
  await liar?.close();
  await chain?.stop();
});

const SHORT_MS = 400;
const places = ["first", "second"] as const;
type Place = (typeof places)[number];

function setNodes(place: Place, other = chain.url()): void {
  setSandboxEvmNodes(place === "first" ? [liar.url, other] : [other, liar.url]);
}

const creditOf = ({ network, payer }: PaymentClaim) => readCredit(network, payer);
const hex = (value: bigint | number) => numberToHex(value);

/** A log in the form of a node's answer. */
interface FakeLog {
  address: Hex;
  topics: readonly unknown[];
  data: Hex;
}

/** What a node makes up about a transaction: that it is in the newest block, worked, and emitted these logs. */
async function madeUp(transaction: Hex, logs: readonly FakeLog[]) {
  const block = await chain.client.getBlock();
  const at = { transactionHash: transaction, blockNumber: hex(block.number), blockHash: block.hash };
  const numbered = logs.map((log, index) => ({ ...log, ...at, logIndex: hex(index) }));
  const receipt = { ...at, status: "0x1", from: chain.relayer.address, gasUsed: "0x5208", effectiveGasPrice: "0x1", logs: numbered };
  return { receipt, logs: numbered };
}

function logsOfProof({ payer, nonce }: PaymentTerms, cents: bigint): FakeLog[] {
  const args = { from: payer as Hex, requestNumber: BigInt(nonce.slice("req_".length)) };
  const topics = encodeEventTopics({ abi: settlementAbi, eventName: "Settled", args });
  return [{ address: chain.contract, topics, data: encodeAbiParameters(parseAbiParameters("uint64, uint64"), [cents, 1n]) }];
}

function logsOfExact({ payer, nonce }: PaymentTerms, units: bigint): FakeLog[] {
  const use = encodeEventTopics({ abi: usdcAbi, eventName: "AuthorizationUsed", args: { authorizer: payer as Hex, nonce: nonce as Hex } });
  const move = encodeEventTopics({ abi: usdcAbi, eventName: "Transfer", args: { from: payer as Hex, to: chain.terms.treasury } });
  return [
    { address: chain.usdc, topics: use, data: "0x" },
    { address: chain.usdc, topics: move, data: encodeAbiParameters(parseAbiParameters("uint256"), [units]) },
  ];
}

const kinds = {
  proof: async (cents: bigint) => {
    const terms = await signProof(chain, await chain.newPayer(cents), { cents });
    return { terms, logs: logsOfProof(terms, cents) };
  },
  exact: async (cents: bigint) => {
    const { terms } = await signExact(chain, await chain.newPayer(cents), { cents });
    return { terms, logs: logsOfExact(terms, cents * 10_000n) };
  },
};

test.each(places.flatMap((place) => (["proof", "exact"] as const).map((kind) => [place, kind] as const)))(
  "a receipt that the %s node makes up for a %s credits nobody; the true one does, once",
  async (place, kind) => {
    const { terms, logs } = await kinds[kind](5n);
    await chain.client.setAutomine(false);
    setNodes(place);
    const claimed = await claim(terms);
    expect(await settleClaim(claimed, SHORT_MS)).toEqual({ kind: "pending" });
    const [sent] = await findRelayed([relayIdOf(claimed)]);
    const { receipt } = await madeUp(sent?.hash as Hex, logs);
    lie = (method, [hash]) => (method === "eth_getTransactionReceipt" && hash === sent?.hash ? { rewrite: () => receipt } : null);
    expect(await settleClaim(claimed, SHORT_MS)).toEqual({ kind: "pending" });
    await chain.rounds(2);
    expect(await creditOf(claimed)).toBe(0n);
    lie = null;
    await chain.client.setAutomine(true);
    await chain.mine(1);
    await chain.rounds(2);
    const settled = await settleClaim(claimed, 30_000);
    expect(settled.kind).toBe("paid");
    if (settled.kind === "paid") for (let times = 0; times < 2; times++) await creditPayment(claimed, settled);
    expect(await creditOf(claimed)).toBe(50_000_000n);
  },
);

/** What one node alone shows settles nothing; the first decides what is worth a try. */
async function expectNoCredit(claimed: PaymentClaim, place: Place): Promise<void> {
  const settled = await settleClaim(claimed, SHORT_MS);
  expect(settled.kind).toBe(place === "first" ? "pending" : "failed");
  await chain.rounds(3);
  expect(await creditOf(claimed)).toBe(0n);
  expect((await getClaim(claimed.id)).state).not.toBe("paid");
}

test.each(places)("an authorization of an empty wallet that the %s node alone calls carried out credits nobody", async (place) => {
  const { terms } = await signExact(chain, await chain.newPayer(0n), { cents: 5n });
  setNodes(place);
  const claimed = await claim(terms);
  // It names a transaction that both nodes know, and that did something else.
  const real = await chain.client.sendTransaction({ account: chain.minter, to: chain.minter.address, value: 1n });
  await chain.client.waitForTransactionReceipt({ hash: real });
  const { receipt, logs } = await madeUp(real, logsOfExact(terms, 50_000n));
  const isUse = (filter: unknown) => JSON.stringify(filter).includes(terms.nonce.slice(2));
  lie = (method, [given]) => {
    if (method === "eth_estimateGas")
      return { error: { code: 3, message: "execution reverted: FiatTokenV2: authorization is used or canceled" } };
    if (method === "eth_call" && isUse(given)) return { rewrite: () => `0x${"1".padStart(64, "0")}` };
    if (method === "eth_getLogs" && isUse(given)) return { rewrite: () => logs };
    return method === "eth_getTransactionReceipt" && given === real ? { rewrite: () => receipt } : null;
  };
  await expectNoCredit(claimed, place);
});

test.each(places)("a proof of an empty wallet that the %s node alone calls settled credits nobody", async (place) => {
  const cents = 5n;
  const terms = await signProof(chain, await chain.newPayer(0n), { cents });
  setNodes(place);
  const claimed = await claim(terms);
  const real = await chain.client.sendTransaction({ account: chain.minter, to: chain.minter.address, value: 1n });
  await chain.client.waitForTransactionReceipt({ hash: real });
  const { receipt, logs } = await madeUp(real, logsOfProof(terms, cents));
  const word = (value: bigint) => value.toString(16).padStart(64, "0");
  lie = (method, [given]) => {
    const isState = (answer: unknown) => typeof answer === "string" && answer.length === 2 + 4 * 64;
    if (method === "eth_call") {
      return { rewrite: (answer) => (isState(answer) ? `0x${word(1n)}${word(cents)}${String(answer).slice(2 + 2 * 64)}` : answer) };
    }
    if (method === "eth_getLogs") return { rewrite: () => logs };
    return method === "eth_getTransactionReceipt" && given === real ? { rewrite: () => receipt } : null;
  };
  await expectNoCredit(claimed, place);
});

test.each(places)("while the %s node is silent nothing is credited and nothing becomes final; later it is, once", async (place) => {
  const { terms } = await kinds.proof(5n);
  setNodes(place);
  lie = () => ({ drop: true });
  const claimed = await claim(terms);
  expect(await settleClaim(claimed, SHORT_MS)).toEqual({ kind: "pending" });
  await chain.recordFinal();
  expect(await creditOf(claimed)).toBe(0n);
  expect((await findRelayed([relayIdOf(claimed)])).some(({ isFinal }) => isFinal)).toBe(false);
  lie = null;
  await chain.rounds(3);
  const settled = await settleClaim(claimed, 30_000);
  if (settled.kind === "paid") await creditPayment(claimed, settled);
  expect(await creditOf(claimed)).toBe(50_000_000n);
  await chain.recordFinal();
  expect(await getClaim(claimed.id)).toMatchObject({ state: "paid", isFinal: true });
});
