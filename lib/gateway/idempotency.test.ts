import fc from "fast-check";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { nowMs, setClock } from "@/lib/base/clock";
import { isAppError } from "@/lib/base/errors";
import { type AccountId, newRequestId, type RequestId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { rowsRead } from "@/lib/db/testing/rows-read";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { chargeDetails, hotSettings } from "@/lib/ledger/testing/books";
import { closeRequestPath, expectBooksToClose } from "@/lib/ledger/testing/closing";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { submitHold } from "./hold-batch";
import { deleteExpiredReplies, getSavedReply, type IdempotencyClaim, readIdempotencyClaim } from "./idempotency";
import type { GatewayRequest } from "./request";
import { submitSettlement } from "./settle-batch";

await openTestDatabase();
beforeAll(openFunding);
afterAll(closeRequestPath);

let restoreClock = () => {};
afterEach(() => restoreClock());
const later = (ms: number) => {
  const at = nowMs() + ms;
  restoreClock();
  restoreClock = setClock(() => at);
};
const dayMs = 86_400_000;

const claimOf = (key: string | undefined, bodyText = "{}", path = "/api/v1/prompt"): IdempotencyClaim | null =>
  readIdempotencyClaim({ method: "POST", path, bodyText, headers: key === undefined ? {} : { "idempotency-key": key } } as GatewayRequest);

async function hold(account: AccountId, key: string, bodyText = "{}") {
  const claim = claimOf(key, bodyText);
  const request = newRequestId();
  const ceiling = nanoUsd(10);
  const { outcome } = await submitHold({
    request,
    account,
    key: null,
    ceiling,
    idempotency: claim?.key ?? null,
    hash: claim?.bodyHash ?? null,
  });
  return { request, outcome };
}

const settle = (request: RequestId, account: AccountId, key: string, body?: string) =>
  submitSettlement({
    request,
    account,
    key: null,
    period: null,
    periodStart: null,
    ceiling: nanoUsd(10),
    inputCost: nanoUsd(body === undefined ? 0 : 2),
    outputCost: nanoUsd(body === undefined ? 0 : 3),
    charge: body === undefined ? null : chargeDetails(2, 3),
    idempotency: key,
    status: body === undefined ? undefined : 200,
    body,
  });

test("a claim is made in the hold's own commit, and another request with the same key waits for its answer", async () => {
  const account = await fundedAccount(100);
  expect((await hold(account, "one")).outcome).toBe("held");
  expect((await hold(account, "one")).outcome).toBe("in_progress");
  expect((await hold(account, "one", "another body")).outcome).toBe("mismatch");
  expect((await hold(account, "two")).outcome).toBe("held");
  await expect(getSavedReply(account, "one")).rejects.toThrow(/is gone/);
});

test("an answer is saved in the commit that charges it, and then every retry is answered from it, charged once", async () => {
  const account = await fundedAccount(100);
  const { request } = await hold(account, "saved");
  await settle(request, account, "saved", '{"answer":"ü \\u0000 €"}');
  expect((await hold(account, "saved")).outcome).toBe("replay");
  expect((await hold(account, "saved", "another body")).outcome).toBe("mismatch");
  expect(await getSavedReply(account, "saved")).toEqual({
    requestId: request,
    status: 200,
    streamed: false,
    body: '{"answer":"ü \\u0000 €"}',
  });
  expect(await readBalance(account)).toEqual({ posted: 95n, held: 0n, available: 95n });
});

test("a claim is released with its hold, and its key may be used again, for another body too", async () => {
  const account = await fundedAccount(100);
  const { request } = await hold(account, "released");
  await settle(request, account, "released");
  expect((await hold(account, "released", "another body")).outcome).toBe("held");
});

test("a release that comes after the answer was saved, or twice, takes no answer and no other request's claim away", async () => {
  const account = await fundedAccount(100);
  const { request } = await hold(account, "kept");
  await settle(request, account, "kept", "answer");
  expect((await settle(request, account, "kept")).outcome).toBe("already");
  expect((await getSavedReply(account, "kept")).body).toBe("answer");
  const first = await hold(account, "taken over");
  await settle(first.request, account, "taken over");
  const second = await hold(account, "taken over");
  await settle(first.request, account, "taken over");
  await settle(first.request, account, "taken over", "late answer of the first");
  await settle(second.request, account, "taken over", "answer of the second");
  expect(await getSavedReply(account, "taken over")).toMatchObject({ requestId: second.request, body: "answer of the second" });
});

test("one account's keys are not another's", async () => {
  const [account, other] = [await fundedAccount(100), await fundedAccount(100)];
  const { request } = await hold(account, "shared");
  await settle(request, account, "shared", "answer");
  expect((await hold(other, "shared", "another body")).outcome).toBe("held");
  await expect(getSavedReply(other, "shared")).rejects.toThrow(/is gone/);
});

test("an answer is kept for 24 hours, and then the key is new again, whether or not the job has been there", async () => {
  const account = await fundedAccount(100);
  restoreClock = setClock(
    (
      (at) => () =>
        at
    )(Date.now()),
  );
  for (const key of ["job", "no job"]) await settle((await hold(account, key)).request, account, key, "answer");
  later(dayMs - 1);
  await deleteExpiredReplies(new Date(nowMs()));
  expect((await hold(account, "job")).outcome).toBe("replay");
  later(1);
  expect((await hold(account, "no job", "another body")).outcome).toBe("held");
  expect(await deleteExpiredReplies(new Date(nowMs()))).toBeGreaterThanOrEqual(1);
  expect((await hold(account, "job", "another body")).outcome).toBe("held");
});

test("a claim that is still running is never deleted for its age", async () => {
  const account = await fundedAccount(100);
  await hold(account, "running");
  later(2 * dayMs);
  await deleteExpiredReplies(new Date(nowMs()));
  expect((await hold(account, "running")).outcome).toBe("in_progress");
});

test("100 requests at once with one key are one charge; after its answer 100 more are none", async () => {
  const account = await fundedAccount(1_000);
  const outcomes = await Promise.all(Array.from({ length: 100 }, () => hold(account, "many")));
  const [held] = outcomes.filter(({ outcome }) => outcome === "held");
  expect(outcomes.filter(({ outcome }) => outcome === "in_progress")).toHaveLength(99);
  await settle(held?.request ?? newRequestId(), account, "many", "answer");
  const again = await Promise.all(Array.from({ length: 100 }, () => hold(account, "many")));
  expect(new Set(again.map(({ outcome }) => outcome))).toEqual(new Set(["replay"]));
  expect((await readBalance(account)).posted).toBe(995n);
});

test("a settlement whose acknowledgement was lost has saved its answer: the retry is answered and not charged", async () => {
  const account = await fundedAccount(100);
  const { request } = await hold(account, "unknown");
  await settle(request, account, "unknown", "answer");
  expect(await settle(request, account, "unknown", "answer")).toMatchObject({ outcome: "already", inputCost: 2n, outputCost: 3n });
  expect((await getSavedReply(account, "unknown")).body).toBe("answer");
  expect((await readBalance(account)).posted).toBe(95n);
});

test("the same claim is made by the same method, path and body, and by nothing else", () => {
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1 }), (body, path) => {
      const hash = claimOf("k", body, `/${path}`)?.bodyHash.toString("hex") ?? "";
      const what = JSON.stringify([path, body]);
      expect(seen.get(hash) ?? what).toBe(what);
      seen.set(hash, what);
      expect(claimOf("another", body, `/${path}`)?.bodyHash.toString("hex")).toBe(hash);
    }),
    { seed: 1 },
  );
});

test("without the header there is no claim", () => {
  expect(claimOf(undefined)).toBeNull();
  expect(claimOf("a".repeat(255))?.key).toHaveLength(255);
  expect(claimOf(" ~")?.key).toBe(" ~");
});

test.each([
  ["an empty key", ""],
  ["a key of 256 characters", "a".repeat(256)],
  ["a line break", "a\nb"],
  ["a letter beyond ASCII", "ü"],
  ["a NUL", "\0"],
])("%s is refused, and the message says what a key is", (_what, key) => {
  try {
    claimOf(key);
    expect.unreachable();
  } catch (error) {
    expect(isAppError(error) && error.code).toBe("INVALID_REQUEST");
    expect(JSON.stringify((error as { details: unknown }).details)).toMatch(/1 to 255 printable ASCII characters/);
  }
});

test("the job that forgets answers and requests that use those keys again do not wait for each other for ever", async () => {
  const account = await fundedAccount(100_000);
  const keys = Array.from({ length: 200 }, (_, n) => `old ${n}`);
  await Promise.all(keys.map(async (key) => settle((await hold(account, key)).request, account, key, "answer")));
  later(dayMs + 1);
  const outcomes = await Promise.all([
    ...keys.toReversed().map(async (key) => (await hold(account, key)).outcome),
    deleteExpiredReplies(new Date(nowMs())).then(() => "held"),
    deleteExpiredReplies(new Date(nowMs())).then(() => "held"),
  ]);
  expect(new Set(outcomes)).toEqual(new Set(["held"]));
  expect((await pool().query("SELECT count(*) AS open FROM hold WHERE account_id = $1", [account])).rows).toEqual([{ open: 200n }]);
});

test("a batch reads the claims that it answers and no other, nor does the reaper, also when they were planned while there was none", async () => {
  const client = await pool().connect();
  const read = () => rowsRead(client, "idempotent_reply");
  const claim = (account: string, count: number) =>
    client.query(
      `INSERT INTO idempotent_reply (account_id, idempotency_key, request_id, body_hash, claimed_at, expires_at)
         SELECT $1, 'key ' || n, $1 || n, 'hash', now(), now() + interval '24 hours' FROM generate_series(1, $2) n`,
      [account, count],
    );
  /** Of five claims: three are answered, two given back. */
  const answer = async (account: string) => {
    const replies = [1, 2, 3, 4, 5].map((n) => {
      const claimed = { account, idempotency: `key ${n}`, request: `${account}${n}` };
      return n > 3 ? claimed : { ...claimed, status: 200, streamed: false, body: `answer ${n}` };
    });
    const before = await read();
    await client.query({ name: "save", text: "SELECT gateway_save_replies($1)", values: [JSON.stringify(replies)] });
    return (await read()) - before;
  };
  const reap = () => client.query({ name: "reap", text: "SELECT gateway_expire_holds(to_timestamp(1), 100)" });
  await client.query("DELETE FROM idempotent_reply");
  await client.query("VACUUM ANALYZE idempotent_reply");
  await client.query(`BEGIN; ${hotSettings}`);
  try {
    for (let round = 0; round < 8; round++) {
      await claim(`few ${round}`, 5);
      await answer(`few ${round}`);
      await reap();
    }
    await claim("many", 3_000);
    expect(await answer("many")).toBe(5);
    const before = await read();
    await reap();
    expect((await read()) - before).toBe(0);
    const { rows } = await client.query(
      "SELECT body, count(*) FROM idempotent_reply WHERE account_id = 'many' GROUP BY body ORDER BY body",
    );
    expect(rows.map(({ body, count }) => [body, count])).toEqual([
      ["answer 1", 1n],
      ["answer 2", 1n],
      ["answer 3", 1n],
      [null, 2_995n],
    ]);
  } finally {
    await client.query("ROLLBACK");
    client.release(true);
  }
});

test("after all of this the books close", expectBooksToClose);
