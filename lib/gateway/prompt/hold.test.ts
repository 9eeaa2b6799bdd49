import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { setKeyState } from "@/lib/access/keys";
import { nanoUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import type { HoldRefusal } from "@/lib/ledger/holds";
import { closeRequestPath, expectBooksToClose } from "@/lib/ledger/testing/closing";
import { openFunding } from "@/lib/ledger/testing/fund";
import { openRequest } from "../http/request";
import { commit } from "./commit";
import { ledgerUnavailable, placeFromBalance } from "./hold";
import type { Prompt } from "./prompt-body";
import { begin, type Customer, callerOf, openCustomer, quoteOf } from "./testing/asking";

await openTestDatabase();
beforeAll(openFunding);
afterAll(closeRequestPath);

const requestOf = (headers: Record<string, string> = {}) =>
  openRequest({
    method: "POST",
    path: "/api/v1/prompt",
    query: "",
    readBody: () => ({ text: "" }),
    remoteAddress: "",
    headers,
    signal: new AbortController().signal,
  });

async function refusalOf(customer: Customer, ceiling = 1, headers: Record<string, string> = {}) {
  const forget = vi.fn();
  const placing = placeFromBalance(requestOf(headers), { ...callerOf(customer), forget }, {} as Prompt, quoteOf(ceiling));
  const error = await placing.then(
    () => expect.unreachable(),
    (refused: unknown) => refused as Error,
  );
  return { error, forget };
}

test.each([
  ["paused", "disabled"],
  ["revoked", "revoked"],
] as const)("a key found %s when its hold is placed is refused as %s, and its cached state is dropped", async (state, reason) => {
  const { accountId, keyId } = await openCustomer(10);
  if (keyId) await setKeyState(accountId, keyId, state);
  const { error, forget } = await refusalOf({ accountId, keyId });
  expect(error).toMatchObject({ code: "INVALID_API_KEY", details: { reason } });
  expect(forget).toHaveBeenCalledOnce();
});

test("a key of a frozen account is refused as disabled, and so is the account without a key", async () => {
  const customer = await openCustomer(10);
  await pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [customer.accountId]);
  expect((await refusalOf(customer)).error).toMatchObject({ code: "INVALID_API_KEY", details: { reason: "disabled" } });
  expect((await refusalOf({ ...customer, keyId: null })).error).toMatchObject({ code: "INVALID_API_KEY" });
});

test("a hold above the balance is refused with the available and the required amount; above a cap, with the cap", async () => {
  const poor = await openCustomer(10);
  expect((await refusalOf(poor, 11)).error).toMatchObject({
    code: "INSUFFICIENT_BALANCE",
    details: { currentBalance: 10n, requiredBalance: 11n, deficit: 1n },
  });
  const capped = await openCustomer(100, { nanoUsd: 10, period: "day" });
  await begin(capped, { ceiling: 6 });
  expect((await refusalOf(capped, 5)).error).toMatchObject({ code: "SPEND_CAP_REACHED", details: { cap: 10n, spent: 6n } });
});

test("an Idempotency-Key in progress is refused until its answer is saved, and then the hold is a replay", async () => {
  const customer = await openCustomer(1_000);
  const { charge } = await begin(customer, { idempotencyKey: "one" });
  const headers = { "idempotency-key": "one" };
  const { error } = await refusalOf(customer, 1, headers);
  expect(error).toMatchObject({ code: "REQUEST_IN_PROGRESS", headers: { "retry-after": "1" } });
  await charge(1);
  const again = await placeFromBalance(requestOf(headers), callerOf(customer), {} as Prompt, quoteOf(1));
  expect(again).toEqual({ kind: "replay", accountId: customer.accountId, key: "one" });
});

test("a clip is tried again with what each refusal leaves, four times in all, and the last time with the minimum", async () => {
  const customer = await openCustomer(1_000);
  const prompt = { minOutputTokens: 25 } as Prompt;
  const refusals: HoldRefusal[] = [
    { outcome: "insufficient", available: nanoUsd(90), isTold: true },
    { outcome: "cap_reached", cap: nanoUsd(80), spent: nanoUsd(10), resetsAt: null, isTold: true },
    { outcome: "insufficient", available: nanoUsd(50), isTold: true },
    { outcome: "insufficient", available: nanoUsd(30), isTold: true },
  ];
  const asked: bigint[] = [];
  const place = vi.spyOn(commit(), "place").mockImplementation(async ({ ceiling }) => {
    asked.push(ceiling);
    return refusals[asked.length - 1] ?? { outcome: "held" };
  });
  const placing = placeFromBalance(requestOf(), callerOf(customer), prompt, quoteOf(100));
  await expect(placing).rejects.toMatchObject({
    code: "INSUFFICIENT_BALANCE",
    details: { currentBalance: 30n, requiredBalance: 100n },
  });
  expect(asked).toEqual([100n, 90n, 70n, 25n]);
  place.mockRestore();
});

test.each(["key_unusable", "account_frozen", "in_progress", "mismatch"] as const)(
  "a clip ends at once when it is refused as %s",
  async (outcome) => {
    const customer = await openCustomer(1_000);
    const decision: HoldRefusal = outcome === "key_unusable" ? { outcome, keyState: "paused" } : { outcome };
    const place = vi.spyOn(commit(), "place").mockResolvedValue(decision);
    await expect(placeFromBalance(requestOf(), callerOf(customer), { minOutputTokens: 1 } as Prompt, quoteOf(100))).rejects.toThrow();
    expect(place).toHaveBeenCalledOnce();
    place.mockRestore();
  },
);

test("a ledger that cannot be reached is an internal error that may be retried, and says that nothing was sent", async () => {
  const place = vi.spyOn(commit(), "place").mockRejectedValueOnce(new Error("connection lost"));
  const { error } = await refusalOf(await openCustomer(10));
  place.mockRestore();
  expect(error).toMatchObject({ code: "INTERNAL_ERROR", details: { reason: "internal", retryable: true } });
  expect(error.message).toMatch(/was not sent to the model/);
  expect(() => ledgerUnavailable(new Error("connection lost"))).toThrow(error.message);
});

test("after all of this the books add up", expectBooksToClose);
