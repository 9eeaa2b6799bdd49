import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { nowMs, setClock } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { nanoUsd } from "@/lib/base/money";
import { noTokens } from "@/lib/base/tokens/token-kinds";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { expireHolds } from "@/lib/ledger/expire-holds";
import { placeHold } from "@/lib/ledger/place-hold";
import { unitPrice } from "@/lib/ledger/testing/books";
import { closeRequestPath, expectBooksToClose } from "@/lib/ledger/testing/closing";
import { fundedAccount, openFunding, openKey } from "@/lib/ledger/testing/fund";
import { newHold } from "@/lib/ledger/testing/holding";
import { modelAt } from "@/lib/providers/testing/call-kit";
import { commit } from "./commit";
import { type Completion, emptyOutput, type PricedCompletion } from "./completion";
import { attachHold } from "./settlement";

await openTestDatabase();
beforeAll(openFunding);
afterAll(closeRequestPath);

let restoreClock = () => {};
afterEach(() => restoreClock());

const completion: Completion = {
  output: emptyOutput(),
  usage: { ...noTokens, inputTokens: 3, outputTokens: 4 },
  outcome: "complete",
  estimated: false,
  provider: "openai",
  providerRequestId: "req_of_openai",
  firstTokenMs: null,
  providerMs: 1,
};
/** A model at one nano-USD per token. */
const { model } = modelAt("http://nobody");

/** A hold of a customer whose balance equals it, attached to a request. */
async function openHold(ceiling: bigint) {
  const accountId = await fundedAccount(ceiling);
  const keyId = await openKey(accountId);
  const hold = newHold(accountId, ceiling, { key: keyId });
  expect(await placeHold(commit(), hold)).toEqual({ outcome: "held" });
  const quote = {
    model,
    priceVersion: unitPrice,
    cacheWrites: "none" as const,
    inputBound: 100,
    maxOutputTokens: 100,
    ceiling: nanoUsd(ceiling),
  };
  return {
    hold,
    requestHold: attachHold(
      { onEnd: () => undefined, method: "POST", path: "/", bodyText: "{}", largeBody: undefined, headers: {} },
      hold,
      { stream: false },
      quote,
    ),
  };
}

/** Writes a receipt's costs, and records each write. */
function writer() {
  const written: string[] = [];
  const write = ({ inputCost, outputCost }: PricedCompletion) => {
    const body = `${inputCost} and ${outputCost}`;
    written.push(body);
    return body;
  };
  return { written, write };
}

test("a body is written once, with the actual charge", async () => {
  const { hold, requestHold } = await openHold(7n);
  const { write, written } = writer();
  expect(await requestHold.chargeForBody(completion, write)).toBe("3 and 4");
  expect(written).toEqual(["3 and 4"]);
  expect(await readBalance(hold.accountId)).toEqual({ posted: 0n, held: 0n, available: 0n });
});

test("an answer that cost more than its hold reports the charge, the input first", async () => {
  const { requestHold } = await openHold(4n);
  const { write, written } = writer();
  expect(await requestHold.chargeForBody(completion, write)).toBe("3 and 1");
  expect(written).toHaveLength(1);
});

test.each([
  ["more", { inputTokens: 10, outputTokens: 4 }, 7n],
  ["less", { inputTokens: 1, outputTokens: 1 }, 0n],
])("what a provider probably bills beyond an estimate is recorded, and nobody pays it: %s", async (_how, probable, unbilled) => {
  const { hold, requestHold } = await openHold(20n);
  const { write } = writer();
  const estimate: Completion = {
    ...completion,
    outcome: "partial",
    estimated: true,
    probable: { ...completion.usage, ...probable },
  };
  await requestHold.charge(estimate, write);
  const { rows } = await pool().query("SELECT unbilled, operator_loss, kept FROM charge WHERE request_id = $1", [hold.requestId]);
  expect(rows).toEqual([{ unbilled, operator_loss: 0n, kept: false }]);
  expect((await readBalance(hold.accountId)).posted).toBe(13n);
});

test("a whole answer whose hold is gone and that cannot be paid for in full is not handed out, and costs nothing", async () => {
  const { hold, requestHold } = await openHold(7n);
  const at = nowMs() + config().PROVIDER_TOTAL_TIMEOUT_MS + 90_001;
  restoreClock = setClock(() => at);
  await expireHolds(commit());
  // Another hold takes all but one nano-USD.
  expect(await placeHold(commit(), newHold(hold.accountId, 6))).toEqual({ outcome: "held" });
  await expect(requestHold.chargeForBody(completion, writer().write)).rejects.toMatchObject({
    code: "INTERNAL_ERROR",
    details: { retryable: true },
  });
  expect(await readBalance(hold.accountId)).toMatchObject({ posted: 7n, held: 6n });
  const { rows } = await pool().query("SELECT outcome, late, operator_loss FROM charge WHERE request_id = $1", [hold.requestId]);
  expect(rows).toEqual([{ outcome: "lost", late: true, operator_loss: 7n }]);
});

test("a whole answer whose hold is gone is handed out for its full price", async () => {
  const { hold, requestHold } = await openHold(7n);
  const at = nowMs() + config().PROVIDER_TOTAL_TIMEOUT_MS + 90_001;
  restoreClock = setClock(() => at);
  await expireHolds(commit());
  expect(await requestHold.chargeForBody(completion, writer().write)).toBe("3 and 4");
  expect(await readBalance(hold.accountId)).toMatchObject({ posted: 0n, held: 0n });
});

test("a body that cannot be written fails only its own request, and its hold ends once", async () => {
  const { hold, requestHold } = await openHold(7n);
  const failing = () => {
    throw new Error("no words");
  };
  await expect(requestHold.chargeForBody(completion, failing)).rejects.toThrow("no words");
  await expect.poll(() => readBalance(hold.accountId)).toEqual({ posted: 0n, held: 0n, available: 0n });
});

test("an answer above its hold is charged up to the hold, although the database fails once meanwhile", async () => {
  const { hold, requestHold } = await openHold(5n);
  const { written, write } = writer();
  const settle = vi.spyOn(commit(), "settle").mockRejectedValueOnce(new Error("the connection was cut"));
  await requestHold.chargeForBody(completion, write);
  expect(settle).toHaveBeenCalledTimes(2);
  settle.mockRestore();
  expect(written).toEqual(["3 and 2"]);
  expect(await readBalance(hold.accountId)).toMatchObject({ posted: 0n, held: 0n });
  const { rows } = await pool().query("SELECT operator_loss FROM charge WHERE request_id = $1", [hold.requestId]);
  expect(rows).toEqual([{ operator_loss: 2n }]);
});

test("a charge stores its provider's id of the answer", async () => {
  const { hold, requestHold } = await openHold(7n);
  await requestHold.charge(completion, () => "");
  const { rows } = await pool().query("SELECT provider_request_id FROM charge WHERE request_id = $1", [hold.requestId]);
  expect(rows).toEqual([{ provider_request_id: "req_of_openai" }]);
});

test("after all of this the books add up", expectBooksToClose);
