import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { AccountId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { commit } from "@/lib/gateway/prompt/commit";
import { readBalance } from "../accounts";
import type { Hold } from "../holds";
import { placeHold } from "../place-hold";
import { closeRequestPath, expectBooksToClose } from "../testing/closing";
import { fundedAccount, openFunding } from "../testing/fund";
import { chargeOf, newHold } from "../testing/holding";
import { releaseOf } from "../waiting-settlements";
import type { Settlement } from "./codec";
import { settleHold } from "./commit";

await openTestDatabase();
beforeAll(openFunding);
afterAll(closeRequestPath);

async function place(account: AccountId, ceiling: number): Promise<Hold> {
  const hold = newHold(account, ceiling);
  expect(await placeHold(commit(), hold)).toEqual({ outcome: "held" });
  return hold;
}

const settle = (settlement: Settlement) => settleHold(commit(), settlement);

test("an answer is charged at its cost, and the rest of its hold is free again", async () => {
  const account = await fundedAccount(100);
  const hold = await place(account, 50);
  expect(await settle(chargeOf(hold, 7, 13))).toEqual({ outcome: "settled", inputCost: 7n, outputCost: 13n });
  expect(await readBalance(account)).toEqual({ posted: 80n, held: 0n, available: 80n });
});

test("an answer that cost more than its hold is charged up to the hold, input first; the operator bears the rest", async () => {
  const account = await fundedAccount(100);
  const hold = await place(account, 50);
  expect(await settle(chargeOf(hold, 40, 13))).toEqual({ outcome: "settled", inputCost: 40n, outputCost: 10n });
  expect((await readBalance(account)).posted).toBe(50n);
  const { rows } = await pool().query("SELECT operator_loss FROM charge WHERE request_id = $1", [hold.requestId]);
  expect(rows).toEqual([{ operator_loss: 3n }]);
});

test("a released hold charges nothing and leaves no charge", async () => {
  const account = await fundedAccount(100);
  const hold = await place(account, 50);
  expect(await settle(releaseOf(hold))).toEqual({ outcome: "released", inputCost: 0n, outputCost: 0n });
  expect(await readBalance(account)).toEqual({ posted: 100n, held: 0n, available: 100n });
  expect((await pool().query("SELECT 1 FROM charge WHERE request_id = $1", [hold.requestId])).rowCount).toBe(0);
});

test("a settlement sent again, alone, twice in a batch or among others, is charged once and returns the same costs", async () => {
  const account = await fundedAccount(100);
  const [hold, ...others] = [await place(account, 20), await place(account, 20), await place(account, 20)];
  const again = chargeOf(hold, 5, 6);
  await settle(again);
  const settled = await Promise.all([again, again, ...others.map((other) => chargeOf(other, 1, 1)), again].map(settle));
  const already = { outcome: "already", inputCost: 5n, outputCost: 6n };
  const once = { outcome: "settled", inputCost: 1n, outputCost: 1n };
  expect(settled).toEqual([already, already, once, once, already]);
  expect((await readBalance(account)).posted).toBe(85n);
});

test("in a batch every bad item fails alone: a cost out of range, a late one of an unknown account; the others are charged", async () => {
  const account = await fundedAccount(1_000);
  const holds = await Promise.all(Array.from({ length: 6 }, () => place(account, 10)));
  const items = holds.map((hold) => chargeOf(hold, 1, 2));
  const bad = [
    { ...chargeOf(newHold(account, 2), 1, 1), inputCost: nanoUsd(2n ** 63n) },
    chargeOf(newHold("acc_nobody" as AccountId, 2), 1, 1),
    { ...chargeOf(holds[5] ?? newHold(account, 10), 1, 1), inputCost: nanoUsd(2n ** 63n - 1n), outputCost: nanoUsd(1) },
  ];
  const submitted = [...items.slice(0, 2), ...bad, ...items.slice(2, 5)].map((item) =>
    settle(item)
      .then(({ outcome }) => outcome)
      .catch((error: { code: string }) => error.code),
  );
  expect(await Promise.all(submitted)).toEqual(["settled", "settled", "22003", "P0001", "22003", "settled", "settled", "settled"]);
  expect(await readBalance(account)).toEqual({ posted: 985n, held: 10n, available: 975n });
});

test("a settlement that waits too long for its account's lock is retried until it succeeds, and delays no other account", async () => {
  const [account, other] = [await fundedAccount(100), await fundedAccount(100)];
  const hold = await place(account, 50);
  const warn = vi.spyOn(log(), "warn");
  const blocker = await pool().connect();
  try {
    await blocker.query("BEGIN");
    await blocker.query("SELECT 1 FROM ledger_account WHERE id = $1 FOR UPDATE", [account]);
    const settled = settle(chargeOf(hold, 1, 1));
    await expect.poll(() => warn.mock.calls.length).toBeGreaterThan(0);
    await place(other, 50);
    await blocker.query("ROLLBACK");
    expect(await settled).toEqual({ outcome: "settled", inputCost: 1n, outputCost: 1n });
  } finally {
    warn.mockRestore();
    blocker.release();
  }
});

test("a connection cut during a settlement costs only time: it is charged once", async () => {
  const account = await fundedAccount(10_000);
  const holds = await Promise.all(Array.from({ length: 200 }, () => place(account, 20)));
  const settling = Promise.all(holds.map((hold) => settle(chargeOf(hold, 3, 4))));
  const cut =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query ~ 'gateway_(settle_hold|decide_)' AND pid <> pg_backend_pid()";
  for (let round = 0; round < 5; round++) await pool().query(cut);
  const settled = await settling;
  for (const { outcome, inputCost, outputCost } of settled) {
    expect(["settled", "already"]).toContain(outcome);
    expect([inputCost, outputCost]).toEqual([3n, 4n]);
  }
  await commit().idle();
  expect(await readBalance(account)).toEqual({ posted: 8_600n, held: 0n, available: 8_600n });
});

test("a lost answer costs its customer nothing, alone or in a batch: the operator bears its cost", async () => {
  for (const count of [1, 5]) {
    const account = await fundedAccount(100);
    const holds = await Promise.all(Array.from({ length: count }, () => place(account, 20)));
    const settled = await Promise.all(holds.map((hold) => settle(chargeOf(hold, 3, 4, { details: { outcome: "lost" } }))));
    expect(new Set(settled.map(({ inputCost, outputCost }) => inputCost + outputCost))).toEqual(new Set([0n]));
    expect(await readBalance(account)).toEqual({ posted: 100n, held: 0n, available: 100n });
    const { rows } = await pool().query("SELECT DISTINCT operator_loss, outcome, tokens[1] AS input FROM charge WHERE account_id = $1", [
      account,
    ]);
    expect(rows).toEqual([{ operator_loss: 7n, outcome: "lost", input: 3 }]);
  }
});

test("a charge keeps the provider's own request id, whatever characters it has, alone or in a batch", async () => {
  const ids = ["chatcmpl-1", 'a "quoted" \\ (id), {with} everything', "", null];
  for (const count of [1, 5]) {
    const account = await fundedAccount(1_000);
    for (const providerRequestId of ids) {
      const holds = await Promise.all(Array.from({ length: count }, () => place(account, 20)));
      await Promise.all(holds.map((hold) => settle(chargeOf(hold, 3, 4, { details: { providerRequestId } }))));
      const { rows } = await pool().query("SELECT DISTINCT provider_request_id AS id FROM charge WHERE request_id = ANY ($1)", [
        holds.map(({ requestId }) => requestId),
      ]);
      expect(rows).toEqual([{ id: providerRequestId }]);
    }
  }
});

test("after all these tests the books close", expectBooksToClose);
