import fc from "fast-check";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { nowMs, setClock } from "@/lib/base/clock";
import { isAppError } from "@/lib/base/errors";
import type { AccountId } from "@/lib/base/ids";
import { pool } from "@/lib/db/pool";
import { rowsRead } from "@/lib/db/testing/rows-read";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { settleHold } from "@/lib/ledger/commit/commit";
import type { Claim, Hold } from "@/lib/ledger/holds";
import { placeHold } from "@/lib/ledger/place-hold";
import { hotSettings } from "@/lib/ledger/testing/books";
import { closeRequestPath, expectBooksToClose } from "@/lib/ledger/testing/closing";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { chargeOf, newHold } from "@/lib/ledger/testing/holding";
import { releaseOf } from "@/lib/ledger/waiting-settlements";
import type { GatewayRequest } from "../http/request";
import { commit } from "./commit";
import { readIdempotencyClaim } from "./hold";
import { deleteExpiredReplies, getSavedReply } from "./idempotency";

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

const claimOf = (key: string | undefined, bodyText = "{}", path = "/api/v1/prompt"): Claim | null =>
  readIdempotencyClaim({ method: "POST", path, bodyText, headers: key === undefined ? {} : { "idempotency-key": key } } as GatewayRequest);

async function place(account: AccountId, key: string, bodyText = "{}") {
  const hold: Hold = { ...newHold(account, 10), claim: claimOf(key, bodyText) };
  const { outcome } = await placeHold(commit(), hold);
  return { hold, outcome };
}

const settle = (hold: Hold, body: string) => settleHold(commit(), chargeOf(hold, 2, 3, { body }));
const release = (hold: Hold) => settleHold(commit(), releaseOf(hold));

test("a claim is made in the hold's own commit, and another request with the same key waits for its answer", async () => {
  const account = await fundedAccount(100);
  expect((await place(account, "one")).outcome).toBe("held");
  expect((await place(account, "one")).outcome).toBe("in_progress");
  expect((await place(account, "one", "another body")).outcome).toBe("mismatch");
  expect((await place(account, "two")).outcome).toBe("held");
  await expect(getSavedReply(account, "one")).rejects.toThrow(/is gone/);
});

test("an answer is saved in the commit that charges it, and then every retry is answered from it, charged once", async () => {
  const account = await fundedAccount(100);
  const { hold } = await place(account, "saved");
  await settle(hold, '{"answer":"ü \\u0000 €"}');
  expect((await place(account, "saved")).outcome).toBe("replay");
  expect((await place(account, "saved", "another body")).outcome).toBe("mismatch");
  expect(await getSavedReply(account, "saved")).toEqual({
    requestId: hold.requestId,
    status: 200,
    streamed: true,
    body: '{"answer":"ü \\u0000 €"}',
  });
  expect(await readBalance(account)).toEqual({ posted: 95n, held: 0n, available: 95n });
});

test("a claim is released with its hold, and its key may be used again, even for another body", async () => {
  const account = await fundedAccount(100);
  const { hold } = await place(account, "released");
  await release(hold);
  expect((await place(account, "released", "another body")).outcome).toBe("held");
});

test("a late or repeated release removes neither a saved answer nor another request's claim", async () => {
  const account = await fundedAccount(100);
  const { hold } = await place(account, "kept");
  await settle(hold, "answer");
  expect((await release(hold)).outcome).toBe("already");
  expect((await getSavedReply(account, "kept")).body).toBe("answer");
  const first = await place(account, "taken over");
  await release(first.hold);
  const second = await place(account, "taken over");
  await release(first.hold);
  await settle(first.hold, "late answer of the first");
  await settle(second.hold, "answer of the second");
  expect(await getSavedReply(account, "taken over")).toMatchObject({ requestId: second.hold.requestId, body: "answer of the second" });
});

test("keys of different accounts are independent", async () => {
  const [account, other] = [await fundedAccount(100), await fundedAccount(100)];
  const { hold } = await place(account, "shared");
  await settle(hold, "answer");
  expect((await place(other, "shared", "another body")).outcome).toBe("held");
  await expect(getSavedReply(other, "shared")).rejects.toThrow(/is gone/);
});

test("an answer is kept for 24 hours, and then the key is free again, whether or not the job has run", async () => {
  const account = await fundedAccount(100);
  restoreClock = setClock(
    (
      (at) => () =>
        at
    )(Date.now()),
  );
  for (const key of ["job", "no job"]) await settle((await place(account, key)).hold, "answer");
  later(dayMs - 1);
  await deleteExpiredReplies(new Date(nowMs()));
  expect((await place(account, "job")).outcome).toBe("replay");
  later(1);
  expect((await place(account, "no job", "another body")).outcome).toBe("held");
  expect(await deleteExpiredReplies(new Date(nowMs()))).toBeGreaterThanOrEqual(1);
  expect((await place(account, "job", "another body")).outcome).toBe("held");
});

test("a claim that is still running is never deleted for its age", async () => {
  const account = await fundedAccount(100);
  await place(account, "running");
  later(2 * dayMs);
  await deleteExpiredReplies(new Date(nowMs()));
  expect((await place(account, "running")).outcome).toBe("in_progress");
});

test("100 requests at once with one key are one charge; after its answer 100 more add none", async () => {
  const account = await fundedAccount(1_000);
  const outcomes = await Promise.all(Array.from({ length: 100 }, () => place(account, "many")));
  const [held] = outcomes.filter(({ outcome }) => outcome === "held");
  expect(outcomes.filter(({ outcome }) => outcome === "in_progress")).toHaveLength(99);
  await settle(held?.hold ?? newHold(account, 10), "answer");
  const again = await Promise.all(Array.from({ length: 100 }, () => place(account, "many")));
  expect(new Set(again.map(({ outcome }) => outcome))).toEqual(new Set(["replay"]));
  expect((await readBalance(account)).posted).toBe(995n);
});

test("a settlement whose acknowledgement was lost has saved its answer: the retry is answered and not charged", async () => {
  const account = await fundedAccount(100);
  const { hold } = await place(account, "unknown");
  await settle(hold, "answer");
  expect(await settle(hold, "answer")).toMatchObject({ outcome: "already", inputCost: 2n, outputCost: 3n });
  expect((await getSavedReply(account, "unknown")).body).toBe("answer");
  expect((await readBalance(account)).posted).toBe(95n);
});

test("only the same method, path and body make the same claim", () => {
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
])("%s is refused, and the message says what a valid key is", (_what, key) => {
  try {
    claimOf(key);
    expect.unreachable();
  } catch (error) {
    expect(isAppError(error) && error.code).toBe("INVALID_REQUEST");
    expect(JSON.stringify((error as { details: unknown }).details)).toMatch(/1 to 255 printable ASCII characters/);
  }
});

test("the job that deletes answers and requests that reuse those keys never deadlock", async () => {
  const account = await fundedAccount(100_000);
  const keys = Array.from({ length: 200 }, (_, n) => `old ${n}`);
  await Promise.all(keys.map(async (key) => settle((await place(account, key)).hold, "answer")));
  later(dayMs + 1);
  const outcomes = await Promise.all([
    ...keys.toReversed().map(async (key) => (await place(account, key)).outcome),
    deleteExpiredReplies(new Date(nowMs())).then(() => "held"),
    deleteExpiredReplies(new Date(nowMs())).then(() => "held"),
  ]);
  expect(new Set(outcomes)).toEqual(new Set(["held"]));
  expect((await pool().query("SELECT count(*) AS open FROM hold WHERE account_id = $1", [account])).rows).toEqual([{ open: 200n }]);
});

/** Inserts answers of a day ago, as a long outage leaves them. */
const leaveExpired = (account: AccountId, from: number, to: number) =>
  pool().query(
    `INSERT INTO idempotent_reply (account_id, idempotency_key, request_id, body_hash, claimed_at, expires_at, status, streamed, body)
       SELECT $1, 'old ' || n, 'req ' || n, 'hash', now() - interval '2 days', now() - interval '1 day', 200, false, 'answer' FROM generate_series($2::int, $3::int) n`,
    [account, from, to],
  );
const countReplies = async (account: AccountId) =>
  (await pool().query("SELECT FROM idempotent_reply WHERE account_id = $1", [account])).rowCount;

test("after a long outage answers are deleted a thousand per statement; newer answers stay", async () => {
  const account = await fundedAccount(100);
  await leaveExpired(account, 1, 2_500);
  const query = vi.spyOn(pool(), "query");
  const deleting = deleteExpiredReplies(new Date(nowMs()));
  const { hold } = await place(account, "meanwhile");
  await settle(hold, "answer");
  expect(await deleting).toBe(2_500);
  const deleted = await Promise.all(query.mock.results.map(({ value }) => value as Promise<{ command: string; rowCount: number }>));
  query.mockRestore();
  expect(deleted.map(({ command, rowCount }) => [command, rowCount])).toEqual([
    ["DELETE", 1_000],
    ["DELETE", 1_000],
    ["DELETE", 500],
  ]);
  expect(await countReplies(account)).toBe(1);
  expect((await place(account, "meanwhile")).outcome).toBe("replay");
});

test("deleting answers skips locked ones: they are deleted the next time", async () => {
  const account = await fundedAccount(100);
  await leaveExpired(account, 1, 3);
  const other = await pool().connect();
  try {
    await other.query("BEGIN");
    await other.query("SELECT FROM idempotent_reply WHERE account_id = $1 AND idempotency_key = 'old 2' FOR UPDATE", [account]);
    expect(await deleteExpiredReplies(new Date(nowMs()))).toBe(2);
    expect(await countReplies(account)).toBe(1);
  } finally {
    await other.query("ROLLBACK");
    other.release();
  }
  expect(await deleteExpiredReplies(new Date(nowMs()))).toBe(1);
});

test("a batch and the reaper read only the claims that they answer, even when planned on an empty table", async () => {
  const client = await pool().connect();
  const read = () => rowsRead(client, "idempotent_reply");
  const claim = (account: string, count: number) =>
    client.query(
      `INSERT INTO idempotent_reply (account_id, idempotency_key, request_id, body_hash, claimed_at, expires_at)
         SELECT $1, 'key ' || n, $1 || n, 'hash', now(), now() + interval '24 hours' FROM generate_series(1, $2) n`,
      [account, count],
    );
  /** Of five claims, three are answered and two released. */
  const answer = async (account: string) => {
    const numbers = [1, 2, 3, 4, 5];
    const endings = numbers.map((n) => `"(${account}${n},${account},,,,,key ${n},200${",".repeat(15)})"`);
    const bodies = numbers.map((n) => (n > 3 ? null : `answer ${n}`));
    const before = await read();
    await client.query({ name: "save", text: "SELECT gateway_save_replies($1, $2)", values: [`{${endings.join(",")}}`, bodies] });
    return (await read()) - before;
  };
  const reap = () => client.query({ name: "reap", text: "SELECT gateway_expire_holds(NULL, 100, to_timestamp(1))" });
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

test("after all of this the books add up", expectBooksToClose);
