// The settlement contract against a model: sequences of valid and corrupted proofs on a real chain. Each must move the signed amount from
// its signer to the treasury once, or nothing at all.

import { createHash } from "node:crypto";
import { decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isLong, sample } from "@/lib/db/testing/sample";
import harness from "../contracts/testing/artifacts/settlement-harness.json";
import { findBlock } from "./blocks";
import { readSettleRevert } from "./settled";
import { encodeSettle, type ProofTerms, proofText, type SettlementTerms } from "./settlement";
import { verifyProofSignature } from "./signature";
import { contractWallets } from "./testing/contract-wallets";
import { honest, type Spoiling, spoiled, spoilings } from "./testing/odd-proofs";
import { type SettlementChain, startSettlementChain } from "./testing/settlement-chain";
import { newAddress } from "./testing/usdc-chain";

const harnessAbi = parseAbi([
  "function run((address to, bytes data)[] calls, address token, address[] watched) returns (uint256 timestamp, (bool isDone, bytes answer)[] outcomes, uint256[] balances)",
]);
const [SEQUENCES, SAMPLED, LENGTH] = [400, 40, 25];
const WINDOW_MS = 300_000n;
const [UINT64, UINT128] = [2n ** 64n - 1n, 2n ** 128n - 1n];
const MUCH = 10n ** 15n;

interface Payer {
  address: Hex;
  key: { account: ReturnType<typeof privateKeyToAccount>; privateKey: Hex };
  isContract: boolean;
  balance: bigint;
  /** The allowance for each settlement contract. */
  allowance: bigint;
}
type Deployed = SettlementTerms & { address: Hex };

let chain: SettlementChain;
let harnessAt: Hex;
let settlements: Deployed[];
let payers: Payer[];

beforeAll(async () => {
  chain = await startSettlementChain();
  harnessAt = await chain.create(harness.bytecode as Hex);
  const treasury = newAddress();
  settlements = [
    await chain.openSettlement({ relayer: harnessAt, treasury }),
    await chain.openSettlement({ relayer: harnessAt, treasury, serviceName: "Z9aAzZ0" }),
  ];
  payers = [
    ...[newPayer(MUCH, 2n ** 256n - 1n), newPayer(MUCH, MUCH), newPayer(30_000n, MUCH), newPayer(MUCH, 30_000n), newPayer(MUCH, 0n)],
    ...[newPayer(0n, MUCH), newPayer(MUCH, MUCH, true), newPayer(MUCH, 50_000n, true)],
  ];
  for (const { address, key, isContract, balance, allowance } of payers) {
    if (isContract) await chain.client.setCode({ address, bytecode: contractWallets.ownedBy(key.account.address) });
    if (balance > 0n) await chain.mint(address, balance);
    for (const { address: spender } of settlements) await chain.approve(address, spender, allowance);
  }
});
afterAll(() => chain?.stop());

function newPayer(balance: bigint, allowance: bigint, isContract = false): Payer {
  const privateKey = generatePrivateKey();
  const account = privateKeyToAccount(privateKey);
  const address = isContract ? newAddress() : (account.address.toLowerCase() as Hex);
  return { address, key: { account, privateKey }, isContract, balance, allowance };
}

/** A random number stream derived from `seed`. */
function randomFrom(seed: string) {
  let count = 0;
  const next = (below: bigint) => BigInt(`0x${createHash("sha256").update(`${seed} ${count++}`).digest("hex")}`) % below;
  const pick = <T>(items: readonly [T, ...T[]] | readonly T[]): T => items[Number(next(BigInt(items.length)))] as T;
  return { next, pick };
}

interface Try {
  settlement: Deployed;
  payer: Payer;
  proof: ProofTerms;
  signature: Hex;
  spoiling: Spoiling | "another payer" | null;
  isSigned: boolean;
}

/** Corruptions that `ownedBy` accepts: it reads r, s and v at their offsets, with any s and any trailing bytes. */
const takenByWallets: readonly Spoiling[] = ["the high s", "a byte more"];

async function createTry(random: ReturnType<typeof randomFrom>, nowMs: bigint): Promise<Try> {
  const { next, pick } = random;
  const [settlement, payer] = [pick(next(4n) === 0n ? settlements.slice(1) : settlements.slice(0, 1)), pick(payers)];
  const anyTime = () => nowMs + next(2n * WINDOW_MS) - WINDOW_MS;
  const edges = [WINDOW_MS, WINDOW_MS + 1n, WINDOW_MS - 1n].flatMap((edge) => [nowMs + edge, nowMs - edge]);
  const proof: ProofTerms = {
    from: payer.address,
    requestNumber: pick([0n, 1n, 7n, 7n, 10n ** 31n - 1n, UINT128, next(UINT128 + 1n)]),
    cents: pick([1n, 1n, 2n, 3n, 4n, 1_000n, next(10n ** 6n), 0n, UINT64]),
    timestampMs: next(3n) === 0n ? pick([...edges, 0n, UINT64, nowMs * 1_000n]) : anyTime(),
  };
  const signing = { serviceName: settlement.serviceName, proof, key: payer.key };
  const spoiling = next(2n) === 0n ? null : pick([...spoilings, "another payer" as const]);
  if (spoiling === "another payer") {
    const other = pick(payers.filter((one) => one !== payer));
    return { settlement, payer, proof, signature: await honest({ ...signing, key: other.key }), spoiling, isSigned: false };
  }
  const signature = await (spoiling ? spoiled[spoiling] : honest)(signing);
  const isSigned = spoiling === null || (payer.isContract && takenByWallets.includes(spoiling));
  return { settlement, payer, proof, signature, spoiling, isSigned };
}

/** The expected result of each call: null when it settles. */
class Model {
  readonly balances = new Map<Hex, bigint>();
  readonly #allowances = new Map<string, bigint>();
  readonly #settled = new Set<string>();

  constructor(private readonly nowMs: bigint) {
    for (const { address, balance, allowance } of payers) {
      this.balances.set(address, balance);
      for (const settlement of settlements) this.#allowances.set(`${settlement.address} ${address}`, allowance);
    }
  }

  settle({ settlement, proof: { from, requestNumber, cents, timestampMs }, isSigned }: Try): string | null {
    const [used, allowed] = [`${settlement.address} ${from} ${requestNumber}`, `${settlement.address} ${from}`];
    const [balance = 0n, allowance = 0n, units] = [this.balances.get(from), this.#allowances.get(allowed), cents * 10_000n];
    if (cents === 0n) return "NothingToSettle";
    if (timestampMs > this.nowMs + WINDOW_MS || timestampMs < this.nowMs - WINDOW_MS) return "Expired";
    if (this.#settled.has(used)) return "AlreadySettled";
    if (!isSigned) return "BadSignature";
    if (allowance < units) return "ERC20: transfer amount exceeds allowance";
    if (balance < units) return "ERC20: transfer amount exceeds balance";
    this.#settled.add(used);
    this.balances.set(from, balance - units);
    this.balances.set(settlement.treasury, (this.balances.get(settlement.treasury) ?? 0n) + units);
    if (allowance < 2n ** 256n - 1n) this.#allowances.set(allowed, allowance - units);
    return null;
  }
}

const atHead = async () => {
  const block = await findBlock("latest", chain.nodes);
  if (!block) throw new Error("The chain has no block.");
  return { number: BigInt(block.number), nowMs: BigInt(block.timestampS) * 1_000n };
};

async function runAll(tries: readonly Try[], blockNumber: bigint) {
  const calls = tries.map(({ settlement, proof, signature }) => ({ to: settlement.address, data: encodeSettle(proof, signature) }));
  const watched = [
    ...payers.map(({ address }) => address),
    ...settlements.flatMap(({ address, treasury }) => [address, treasury]),
    harnessAt,
  ];
  const data = encodeFunctionData({ abi: harnessAbi, functionName: "run", args: [calls, chain.usdc, watched] });
  const answer = await chain.client.call({ to: harnessAt, data, blockNumber, gas: 25_000_000n });
  const [timestamp, outcomes, balances] = decodeFunctionResult({ abi: harnessAbi, functionName: "run", data: answer.data ?? "0x" });
  return { timestamp, outcomes, balances: new Map(watched.map((address, index) => [address, balances[index] ?? 0n])) };
}

test("no sequence of valid and corrupted proofs moves more than was signed, to anybody else, or twice; refusals say why", async () => {
  const { number, nowMs } = await atHead();
  const seen = new Map<string, number>();
  const indexes = sample(
    "settlement",
    Array.from({ length: SEQUENCES }, (_, index) => index),
    SAMPLED,
  );
  for (const index of indexes) {
    const random = randomFrom(`settlement ${index}`);
    const tries: Try[] = [];
    while (tries.length < LENGTH) {
      // One in six repeats an earlier proof.
      const [again] = tries.length > 0 && random.next(6n) === 0n ? [random.pick(tries)] : [];
      tries.push(again ?? (await createTry(random, nowMs)));
    }
    const model = new Model(nowMs);
    const { timestamp, outcomes, balances } = await runAll(tries, number);
    expect(timestamp * 1_000n).toBe(nowMs);
    for (const [at, one] of tries.entries()) {
      const outcome = outcomes[at] ?? { isDone: false, answer: "0x" as const };
      const wanted = model.settle(one);
      const label = `sequence ${index}, try ${at}: ${one.spoiling ?? "honest"} ${proofText("", one.proof)}`;
      expect(outcome.isDone ? null : readSettleRevert(outcome.answer).message, label).toBe(wanted);
      seen.set(wanted ?? "settled", (seen.get(wanted ?? "settled") ?? 0) + 1);
    }
    for (const [address, balance] of balances) expect(balance, `sequence ${index}, ${address}`).toBe(model.balances.get(address) ?? 0n);
  }
  expect([...seen.keys()].sort()).toEqual([
    ...["AlreadySettled", "BadSignature", "ERC20: transfer amount exceeds allowance", "ERC20: transfer amount exceeds balance"],
    ...["Expired", "NothingToSettle", "settled"],
  ]);
  expect(seen.get("settled")).toBeGreaterThan(isLong ? 1_000 : 60);
}, 300_000);

test("off-chain verification agrees with the contract for every signature form, of keys and of contract wallets", async () => {
  const { number, nowMs } = await atHead();
  const [rich, wallet] = [payers[0], payers[6]];
  const tries: Try[] = [];
  for (const payer of [rich, wallet])
    for (const spoiling of [null, ...spoilings]) {
      if (!payer) continue;
      const proof = { from: payer.address, requestNumber: BigInt(tries.length), cents: 5n, timestampMs: nowMs };
      const signing = { serviceName: "PennyPrompt", proof, key: payer.key };
      const signature = await (spoiling ? spoiled[spoiling] : honest)(signing);
      const isSigned = spoiling === null || (payer.isContract && takenByWallets.includes(spoiling));
      tries.push({ settlement: settlements[0] as Deployed, payer, proof, signature, spoiling, isSigned });
    }
  const { outcomes } = await runAll(tries, number);
  for (const [at, { settlement, proof, signature, spoiling, isSigned, payer }] of tries.entries()) {
    const label = `${payer.isContract ? "wallet" : "key"}, ${spoiling}`;
    const verdict = await verifyProofSignature(proof.from, proofText(settlement.serviceName, proof), signature, chain.nodes);
    expect(verdict, label).toBe(isSigned ? "valid" : "invalid");
    expect(outcomes[at]?.isDone, label).toBe(isSigned);
  }
});
