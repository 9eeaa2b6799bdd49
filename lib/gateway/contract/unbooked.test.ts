// An answer whose database went down before it was booked, for longer than its client waits: a delivered answer is charged once the ledger
// answers again, and an undelivered one costs the customer nothing.

import type { TimerOptions } from "node:timers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { metrics } from "@/lib/base/observe/metrics";
import { pool } from "@/lib/db/pool";
import { commit } from "../prompt/commit";
import { openAccount } from "./testing/accounts";
import { awaitCharge, balanceOf, chargesOf, expectPaid, openHolds, until } from "./testing/books";
import { ask, deltaText, modelOf, promptOf, readError, readErrorBody, readEvents, readPromptBody } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const pauses = vi.hoisted(() => ({ areSkipped: false, ms: [] as number[] }));

// Pauses between tries are recorded and take no time; they are the only calls without options.
vi.mock("node:timers/promises", async (importOriginal) => {
  const original = await importOriginal<typeof import("node:timers/promises")>();
  const setTimeout = <T>(ms: number, value?: T, options?: TimerOptions) => {
    const isSkipped = pauses.areSkipped && options === undefined && ms >= 50;
    if (isSkipped) pauses.ms.push(ms);
    return original.setTimeout(isSkipped ? 0 : ms, value, options);
  };
  return { ...original, setTimeout };
});

const service = await openService();

/** The database does not answer settlements until `comeBack`; with `settles` it executes them, and only its answer is lost. */
function goAway({ settles = false } = {}): { comeBack: () => void } {
  const real = commit().settle;
  const settle = vi.spyOn(commit(), "settle").mockImplementation(async (settlement) => {
    if (settles) await real(settlement);
    throw new Error("Connection terminated unexpectedly");
  });
  pauses.areSkipped = true;
  return {
    comeBack: () => {
      pauses.areSkipped = false;
      settle.mockRestore();
    },
  };
}

let database: ReturnType<typeof goAway>;
beforeEach(() => {
  pauses.ms = [];
  database = goAway();
});
afterEach(() => database.comeBack());

const lostAnswers = async () => (await metrics().lostAnswers.get()).values[0]?.value ?? 0;
const lossOf = async (reason: string) =>
  (await metrics().operatorLossNanoUsd.get()).values.find(({ labels }) => labels.reason === reason)?.value ?? 0;

const costOf = ({ model, input_tokens, output_tokens }: { model: string; input_tokens: bigint; output_tokens: bigint }) =>
  input_tokens * modelOf(model).prices[0].input + output_tokens * modelOf(model).prices[0].output;

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);

  test("without a key it is refused after 15 seconds, and later booked as lost: the operator bears its cost", async () => {
    const account = await openAccount();
    const before = { lost: await lostAnswers(), loss: await lossOf("lost_answer") };
    const { details } = readError(await ask({ url, key: account.key, body: promptOf() }), "INTERNAL_ERROR");
    expect(details).toMatchObject({ reason: "internal" });
    expect(pauses.ms.reduce((sum, ms) => sum + ms)).toBeGreaterThanOrEqual(15_000);
    expect(await lostAnswers()).toBe(before.lost + 1);
    expect([await openHolds(account.accountId), await chargesOf(account.accountId)]).toEqual([1, []]);

    database.comeBack();
    const charge = await awaitCharge(account.accountId);
    expect(charge).toMatchObject({ outcome: "lost", streamed: false, input_cost: 0n, output_cost: 0n, operator_loss: costOf(charge) });
    expect(charge.operator_loss).toBeGreaterThan(0n);
    expect(await balanceOf(account.accountId)).toBe(account.credit);
    expect(await lossOf("lost_answer")).toBe(before.loss + Number(charge.operator_loss));
    await expectPaid(account);
  });

  test("a stream that is delivered while the database has another release's functions is charged once it has ours again", async () => {
    database.comeBack();
    const unknown = async () => (await metrics().unknownCalls.get()).values[0]?.value ?? 0;
    const before = await unknown();
    const account = await openAccount();
    await pool().query("ALTER FUNCTION gateway_settle_hold RENAME TO gateway_settle_hold_of_another_release");
    try {
      const { status } = await ask({ url, key: account.key, body: promptOf({ stream: true }) });
      expect(status).toBe(200);
      await until("it is told", async () => (await unknown()) === before + 1);
      expect([await openHolds(account.accountId), await chargesOf(account.accountId)]).toEqual([1, []]);
    } finally {
      await pool().query("ALTER FUNCTION gateway_settle_hold_of_another_release RENAME TO gateway_settle_hold");
    }
    expect(await awaitCharge(account.accountId)).toMatchObject({ outcome: "complete", streamed: true, operator_loss: 0n });
    await expectPaid(account);
  });

  test("a charge whose confirmation did not arrive in time is refunded: its answer was not delivered", async () => {
    database.comeBack();
    database = goAway({ settles: true });
    const account = await openAccount();
    const loss = await lossOf("lost_answer");
    const { requestId } = readError(await ask({ url, key: account.key, body: promptOf() }), "INTERNAL_ERROR");
    const charge = await awaitCharge(account.accountId);
    expect(charge).toMatchObject({ request_id: requestId, outcome: "complete", operator_loss: 0n });
    expect(await balanceOf(account.accountId)).toBe(account.credit - costOf(charge));

    database.comeBack();
    await until("it is given back", async () => (await balanceOf(account.accountId)) === account.credit);
    expect(await lossOf("lost_answer")).toBe(loss + Number(costOf(charge)));
    expect([await openHolds(account.accountId), await chargesOf(account.accountId)]).toEqual([0, [charge]]);
  });

  test("with an Idempotency-Key it is charged as usual, and the retry gets the answer", async () => {
    const account = await openAccount();
    const request = { url, key: account.key, body: promptOf(), headers: { "idempotency-key": "once" } };
    const { requestId } = readError(await ask(request), "INTERNAL_ERROR");
    readError(await ask(request), "REQUEST_IN_PROGRESS");

    database.comeBack();
    const charge = await awaitCharge(account.accountId);
    expect(charge).toMatchObject({ request_id: requestId, outcome: "complete", operator_loss: 0n });
    const retried = await ask(request);
    expect([retried.status, retried.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    expect(readPromptBody(retried.text)).toMatchObject({ requestId, text: expect.stringMatching(/^Simulated answer/) });
    expect(charge.input_cost + charge.output_cost).toBe(costOf(charge));
    await expectPaid(account);
    expect(await chargesOf(account.accountId)).toHaveLength(1);
  });

  test("a stream that was delivered is charged", async () => {
    const account = await openAccount();
    const { status, text } = await ask({ url, key: account.key, body: promptOf({ stream: true }) });
    expect(status).toBe(200);
    const events = readEvents(text);
    expect(deltaText(events)).toMatch(/^Simulated answer/);
    readErrorBody(events.at(-1)?.data ?? "", "INTERNAL_ERROR");

    database.comeBack();
    const charge = await awaitCharge(account.accountId);
    expect(charge).toMatchObject({ outcome: "complete", streamed: true, operator_loss: 0n });
    expect(charge.input_cost + charge.output_cost).toBe(costOf(charge));
    await expectPaid(account);
  });

  test("a hold that could not be released is released later, and the client gets its own error", async () => {
    const account = await openAccount();
    const answer = await ask({ url, key: account.key, body: promptOf({ prompt: "Fail. [[simulate: status=500]]" }) });
    expect(readError(answer, "INTERNAL_ERROR").details).toMatchObject({ reason: "provider_unavailable" });
    expect(await openHolds(account.accountId)).toBe(1);
    database.comeBack();
    await until("it is released", async () => (await openHolds(account.accountId)) === 0);
    expect(await chargesOf(account.accountId)).toEqual([]);
  });
});
