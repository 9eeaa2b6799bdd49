// A process that others took for dead while it answered: its holds are freed, and a retry may be answered elsewhere. From then on no byte of
// an answer is written, and every answer that arrives whole is charged once.

import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "vitest";
import type { AccountId } from "@/lib/base/ids";
import { metrics } from "@/lib/base/observe/metrics";
import { processId } from "@/lib/db/heartbeat";
import { monotonicNs, processFence } from "@/lib/db/heartbeat/fence";
import { inTransaction, pool } from "@/lib/db/pool";
import { expireHolds } from "@/lib/ledger/expire-holds";
import { commit } from "../prompt/commit";
import { openAccount } from "./testing/accounts";
import { awaitCharge, balanceOf, chargesOf, expectPaid, openHolds, until } from "./testing/books";
import { ask, deltaText, misbehaving, open, promptOf, readError, readEvents, readPromptBody } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService();
const { models } = service;
beforeEach(() => models.clear());

/** As after a stall: the last beat is ten seconds old. The next one comes within a second. */
const stall = () => processFence().acknowledge(monotonicNs() - 10_000_000_000n);

/** Does `work` while the last beat is old and the next one cannot come. */
const whileStalled = (work: () => Promise<void>): Promise<void> =>
  inTransaction(async (transaction) => {
    await transaction.query("SELECT FROM process WHERE id = $1 FOR UPDATE", [processId()]);
    stall();
    await sleep(200); // what was written before arrives
    await work();
  });

/** What others do with the holds of a process that they take for dead. */
const freeHolds = () => expireHolds(commit(), processId());
const pausedStreams = async (outcome: string) =>
  (await metrics().pausedStreams.get()).values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
const spentOf = async ({ accountId, credit }: { accountId: AccountId; credit: bigint }) => credit - (await balanceOf(accountId));

/** Reads a stream until its connection ends; `isCut` when that was not its own end. */
function collect(response: Response) {
  const read = { text: "", isCut: false };
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const ended = (async () => {
    try {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) read.text += part.value;
    } catch {
      read.isCut = true;
    }
  })();
  return { read, ended, begun: () => until("the stream has begun", async () => deltaText(readWhole(read.text)).length > 3) };
}

/** The events of a text that may end in the middle of one. */
const readWhole = (text: string) => readEvents(text.slice(0, text.lastIndexOf("\n\n") + 2 || 0));

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);
  const slow = misbehaving("slow=100 tokens=30", { stream: true });

  test("a stream whose hold is still there waits for the next beat, arrives whole and is charged once", async () => {
    const account = await openAccount();
    const { read, ended, begun } = collect(await open({ url, key: account.key, body: slow }));
    await begun();
    const resumed = await pausedStreams("resumed");
    await whileStalled(async () => {
      const before = read.text;
      await sleep(300);
      expect(read.text).toBe(before);
    });
    await ended;
    expect(await pausedStreams("resumed")).toBe(resumed + 1);
    expect([read.isCut, readEvents(read.text).at(-1)?.event]).toEqual([false, "done"]);
    expect(await chargesOf(account.accountId)).toMatchObject([{ outcome: "complete", operator_loss: 0n }]);
    await expectPaid(account);
  });

  test("a stream whose hold was freed is cut; the retry of its key arrives whole, and only that is charged", async () => {
    const account = await openAccount();
    const request = { url, key: account.key, body: slow, headers: { "idempotency-key": "stalled" } };
    const { read, ended, begun } = collect(await open(request));
    await begun();
    let before = "";
    await whileStalled(async () => {
      before = read.text;
      await freeHolds();
    });
    const retried = await ask(request); // as it would be at another process
    await ended;
    expect(read).toEqual({ text: before, isCut: true });
    expect((await models.awaitCall(({ state }) => state !== "finished" && state !== "running")).state).toBe("aborted_by_client");
    const whole = readPromptBody(readEvents(retried.text).at(-1)?.data ?? "");
    expect(retried.headers.get("idempotent-replayed")).toBeNull();
    const charges = await until("both are booked", async () => {
      const booked = await chargesOf(account.accountId);
      return booked.length === 2 ? booked : null;
    });
    const paid = charges.filter((charge) => charge.input_cost + charge.output_cost > 0n);
    expect(paid).toMatchObject([{ request_id: whole.requestId, outcome: "complete", operator_loss: 0n }]);
    expect(charges).toContainEqual(expect.objectContaining({ outcome: "partial", input_cost: 0n, output_cost: 0n }));
    await expectPaid(account);
  });

  test("a stream without a key whose hold was freed is cut, and charged for what was written", async () => {
    const account = await openAccount();
    const { read, ended, begun } = collect(await open({ url, key: account.key, body: slow }));
    await begun();
    await freeHolds();
    stall();
    await ended;
    expect(read.isCut).toBe(true);
    expect(readEvents(read.text).every(({ event }) => event === "delta")).toBe(true);
    const charge = await awaitCharge(account.accountId);
    expect(charge).toMatchObject({ outcome: "partial", streamed: true, estimated: true, operator_loss: 0n });
    expect(charge.output_tokens).toBeGreaterThan(0n);
    expect(charge.output_tokens).toBeLessThan(30n);
    await expectPaid(account);
  });

  test("a stream whose hold is gone before its first piece fails with its status, and costs nothing", async () => {
    const account = await openAccount();
    const answer = ask({ url, key: account.key, body: misbehaving("delay=300", { stream: true }) });
    await until("it is held", async () => (await openHolds(account.accountId)) === 1);
    stall();
    await freeHolds();
    expect(readError(await answer, "INTERNAL_ERROR").details).toMatchObject({ reason: "internal", retryable: true });
    expect(await awaitCharge(account.accountId)).toMatchObject({ outcome: "lost", input_cost: 0n, output_cost: 0n });
    await expectPaid(account);
  });

  test("a stream whose hold is freed after its last piece, and that cannot be paid for any more, never ends as if it were whole", async () => {
    const account = await openAccount();
    const settle = commit().settle;
    const { read, ended, begun } = collect(await open({ url, key: account.key, body: slow, headers: { "idempotency-key": "at the end" } }));
    await begun();
    commit().settle = async (settlement) => {
      await freeHolds();
      return settle(settlement);
    };
    await ended;
    commit().settle = settle;
    expect(read.isCut).toBe(true);
    expect(read.text).not.toContain("event: done");
    expect(await spentOf(account)).toBe(0n);
  });

  test("a whole answer whose key was freed is not sent and costs nothing; the retry is charged once", async () => {
    const account = await openAccount();
    const request = { url, key: account.key, body: misbehaving("delay=300"), headers: { "idempotency-key": "stalled" } };
    const late = ask(request);
    await until("it is held", async () => (await openHolds(account.accountId)) === 1);
    await freeHolds();
    const retried = ask(request);
    expect(readError(await late, "INTERNAL_ERROR").details).toMatchObject({ reason: "internal", retryable: true });
    const { requestId } = readPromptBody((await retried).text);
    const charges = await chargesOf(account.accountId);
    expect(charges).toHaveLength(2);
    expect(charges).toContainEqual(expect.objectContaining({ request_id: requestId, outcome: "complete", operator_loss: 0n }));
    expect(charges).toContainEqual(expect.objectContaining({ outcome: "lost", input_cost: 0n, output_cost: 0n }));
    await expectPaid(account);
  });

  test.each([
    ["and that can be paid for is sent and charged once", "5", 200],
    ["and whose money was spent meanwhile is not sent, and costs nothing", "0", 500],
  ])("a whole answer without a key whose hold was freed %s", async (_what, left, status) => {
    const account = await openAccount();
    const late = ask({ url, key: account.key, body: misbehaving("delay=300") });
    await until("it is held", async () => (await openHolds(account.accountId)) === 1);
    await freeHolds();
    const spent = left === "0" ? "UPDATE ledger_account SET held = posted WHERE id = $1" : "SELECT $1::text";
    await pool().query(spent, [account.accountId]);
    const answer = await late;
    await pool().query("UPDATE ledger_account SET held = 0 WHERE id = $1", [account.accountId]);
    expect(answer.status).toBe(status);
    const [charge] = await chargesOf(account.accountId);
    expect(await spentOf(account)).toBe((charge?.input_cost ?? 0n) + (charge?.output_cost ?? 0n));
    expect(charge).toMatchObject(status === 200 ? { outcome: "complete", operator_loss: 0n } : { outcome: "lost", input_cost: 0n });
    expect(answer.text.includes("Simulated answer")).toBe(status === 200);
  });

  test("requests after a stall are served as before", async () => {
    const account = await openAccount();
    stall();
    expect((await ask({ url, key: account.key, body: promptOf({ stream: true }) })).text).toContain("event: done");
    await expectPaid(account);
  });
});
