import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { nowMs, setClock } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { newRequestId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { unitPrice } from "@/lib/ledger/testing/books";
import { closeRequestPath, expectBooksToClose } from "@/lib/ledger/testing/closing";
import { fundedAccount, openFunding, openKey } from "@/lib/ledger/testing/fund";
import { modelAt } from "@/lib/providers/testing/call-kit";
import { expireHolds } from "./expire-holds";
import { submitHold } from "./hold-batch";
import { emptyOutput } from "./output";
import type { Hold } from "./placed-hold";
import { type Completion, openSettlement, type Receipt } from "./settlement";

await openTestDatabase();
beforeAll(openFunding);
afterAll(closeRequestPath);

let restoreClock = () => {};
afterEach(() => restoreClock());

const completion: Completion = {
  output: emptyOutput(),
  usage: { inputTokens: 3, outputTokens: 4, cachedInputTokens: 0, reasoningTokens: 0 },
  outcome: "complete",
  estimated: false,
  provider: "openai",
  firstTokenMs: null,
  providerMs: 1,
};
/** At a nano-USD a token. */
const { model } = modelAt("http://nobody");

/** A hold of a customer who has just so much, and the settlement of it. */
async function openHold(ceiling: bigint, quoted = ceiling) {
  const accountId = await fundedAccount(ceiling);
  const keyId = await openKey(accountId);
  const requestId = newRequestId();
  const money = { request: requestId, account: accountId, key: keyId, ceiling: nanoUsd(ceiling), idempotency: null, hash: null };
  expect((await submitHold(money)).outcome).toBe("held");
  const period = { period: null, periodStart: null, claim: null, paidBy: "balance" } as const;
  const hold: Hold = { requestId, accountId, keyId, ceiling: nanoUsd(ceiling), ...period };
  const quote = { model, priceVersion: unitPrice, inputBound: 100, ceiling: nanoUsd(quoted) };
  return { hold, settlement: openSettlement({ onEnd: () => undefined }, hold, { stream: false }, quote) };
}

/** Writes what a receipt says, and notes that it did. */
function writer() {
  const written: string[] = [];
  const write = ({ inputCost, outputCost }: Receipt) => {
    const body = `${inputCost} and ${outputCost}`;
    written.push(body);
    return body;
  };
  return { written, write };
}

test("a body is written once, and says what was charged", async () => {
  const { hold, settlement } = await openHold(7n);
  const { write, written } = writer();
  expect(await settlement.chargeForBody(completion, write)).toBe("3 and 4");
  expect(written).toEqual(["3 and 4"]);
  expect(await readBalance(hold.accountId)).toEqual({ posted: 0n, held: 0n, available: 0n });
});

test("an answer that cost more than its hold says what was charged, the input first", async () => {
  const { settlement } = await openHold(4n);
  const { write, written } = writer();
  expect(await settlement.chargeForBody(completion, write)).toBe("3 and 1");
  expect(written).toHaveLength(1);
});

test("a body whose charge comes out otherwise than expected is written again", async () => {
  const { hold, settlement } = await openHold(7n);
  const at = nowMs() + config().PROVIDER_TOTAL_TIMEOUT_MS + 60_001;
  restoreClock = setClock(() => at);
  await expireHolds();
  // All but one nano-USD goes elsewhere.
  const rest = { request: newRequestId(), account: hold.accountId, key: null, ceiling: nanoUsd(6n), idempotency: null, hash: null };
  expect((await submitHold(rest)).outcome).toBe("held");
  const { write, written } = writer();
  expect(await settlement.chargeForBody(completion, write)).toBe("1 and 0");
  expect(written).toEqual(["3 and 4", "1 and 0"]);
});

test("a body that cannot be written fails its request alone, and its hold ends once", async () => {
  const { hold, settlement } = await openHold(7n);
  const failing = () => {
    throw new Error("no words");
  };
  await expect(settlement.chargeForBody(completion, failing)).rejects.toThrow("no words");
  await expect.poll(() => readBalance(hold.accountId)).toEqual({ posted: 0n, held: 0n, available: 0n });
});

test("after all of this the books close", expectBooksToClose);

test("an answer above its own quote is charged at that, of a hold with more room, although the database fails once meanwhile", async () => {
  const { hold, settlement } = await openHold(6n, 5n);
  const { written, write } = writer();
  const query = vi.spyOn(pool(), "query").mockRejectedValueOnce(new Error("the connection was cut") as never);
  await settlement.chargeForBody(completion, write);
  query.mockRestore();
  expect(written).toEqual(["3 and 2"]);
  expect(await readBalance(hold.accountId)).toMatchObject({ posted: 1n, held: 0n });
  const { rows } = await pool().query("SELECT operator_loss FROM charge WHERE request_id = $1", [hold.requestId]);
  expect(rows).toEqual([{ operator_loss: 2n }]);
});
