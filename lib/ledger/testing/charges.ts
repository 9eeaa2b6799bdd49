// Charges for tests: random over a few days, models and keys, booked by the ledger's own function at one nano-USD per token.

import fc from "fast-check";
import { type AccountId, type KeyId, newKeyId, type RequestId, randomBase62, requestIdAt } from "@/lib/base/ids";
import { partKinds, type TokenCounts, tokenKinds } from "@/lib/base/tokens/token-kinds";
import type { UsageSpan, UsageSums } from "@/lib/ledger/usage";
import { chargeLate } from "./hold";

export const DAY_MS = 86_400_000;
export const startMs = Date.UTC(2026, 1, 27);
export const days = 4;
/** The charges' keys; null is no key. */
export const keys = [newKeyId(), newKeyId(), null];

export interface TestCharge {
  requestId: RequestId;
  atMs: number;
  model: string;
  keyId: KeyId | null;
  inputTokens: number;
  outputTokens: number;
}

const anyCharge = fc.record({
  // Many at exactly the first and the last moment of a day.
  atMs: fc
    .tuple(fc.nat({ max: days - 1 }), fc.oneof(fc.constantFrom(0, 1, DAY_MS - 1), fc.nat({ max: DAY_MS - 1 })))
    .map(([day, ms]) => startMs + day * DAY_MS + ms),
  // A few waited for a database that was away.
  tookMs: fc.oneof({ weight: 9, arbitrary: fc.nat({ max: 300_000 }) }, { weight: 1, arbitrary: fc.nat({ max: 2 * DAY_MS }) }),
  model: fc.constantFrom("gpt-4", "claude-haiku-4-5", "model"),
  keyId: fc.constantFrom(...keys),
  inputTokens: fc.nat({ max: 1_000 }),
  outputTokens: fc.nat({ max: 1_000 }),
});

export const someCharges = (count: number): TestCharge[] =>
  fc
    .sample(anyCharge, count)
    .map(({ tookMs, ...charge }) => ({ ...charge, requestId: `${requestIdAt(charge.atMs - tookMs)}${randomBase62(12)}` as RequestId }));

/** Some tokens of each part: half of its side, a quarter, and so on. */
export function kindsOf(sides: Pick<TestCharge, "inputTokens" | "outputTokens">): Omit<TokenCounts, "inputTokens" | "outputTokens"> {
  const left = { input: sides.inputTokens, output: sides.outputTokens };
  const parts = partKinds.map((kind) => {
    const { count, partOf } = tokenKinds[kind];
    left[partOf] = Math.floor(left[partOf] / 2);
    return [count, left[partOf]];
  });
  return Object.fromEntries(parts);
}

/** Charges a customer; a token costs one nano-USD. */
export async function charge(accountId: AccountId, charges: readonly TestCharge[]): Promise<void> {
  for (const { requestId, atMs, model, keyId, inputTokens: input, outputTokens: output } of charges) {
    const kinds = kindsOf({ inputTokens: input, outputTokens: output });
    const hold = { request: requestId, account: accountId, key: keyId, ceiling: BigInt(input + output) };
    await chargeLate(hold, { input, output, details: { model, streamed: input % 2 === 1, ...kinds }, at: new Date(atMs) });
  }
}

/** Covers everything that `someCharges` may generate. */
export const spanOf = (accountId: AccountId, fields: Partial<UsageSpan> = {}): UsageSpan => ({
  accountId,
  fromMs: startMs,
  toMs: startMs + days * DAY_MS,
  mark: null,
  ...fields,
});

/** The sums of these charges, by a plain loop. */
export const sumsOf = (charges: readonly TestCharge[]): UsageSums => {
  const total = (of: (charge: TestCharge) => number) => charges.reduce((sum, charge) => sum + of(charge), 0);
  const [inputTokens, outputTokens] = [total((one) => one.inputTokens), total((one) => one.outputTokens)];
  const ofKind = (kind: keyof ReturnType<typeof kindsOf>): number => total((one) => kindsOf(one)[kind]);
  return {
    requests: charges.length,
    inputTokens,
    outputTokens,
    ...Object.fromEntries(partKinds.map((kind) => [tokenKinds[kind].count, ofKind(tokenKinds[kind].count)])),
    inputCost: BigInt(inputTokens),
    outputCost: BigInt(outputTokens),
  } as UsageSums;
};
