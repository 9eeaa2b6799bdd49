// A clock that jumps: a machine that slept, a time server that corrects it. Holds, limits and idempotency keys keep working,
// nothing becomes negative, and no money is freed before its deadline on that clock.

import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createKey } from "@/lib/access/keys";
import { setClock } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { fromCents } from "@/lib/base/money";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { answer } from "@/lib/gateway/http/router";
import { commit } from "@/lib/gateway/prompt/commit";
import { prepareGateway } from "@/lib/gateway/prompt/prepare";
import { readBalance } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { closeCommitConnections } from "@/lib/ledger/commit/connections";
import { expireHolds } from "@/lib/ledger/expire-holds";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { setSimulatedProviders } from "@/lib/providers/endpoints";
import { closeProviderPools } from "@/lib/providers/transport";
import { startTestModels, type TestModels } from "@/lib/sandbox/models/testing";

const database = await openTestDatabase();
const hour = 3_600_000;
const day = 24 * hour;

let models: TestModels;
let gateway: { stop: () => Promise<void> };
let accountId: AccountId;
let key: string;
let offsetMs = 0;
let restore: () => void;

beforeAll(async () => {
  restore = setClock(() => Date.now() + offsetMs);
  models = await startTestModels();
  setSimulatedProviders(models.baseUrls, models.apiKey);
  gateway = await prepareGateway();
  await openFunding();
  accountId = await fundedAccount(fromCents(1_000), { ratePerMinute: 5, concurrency: 3 });
  ({ key } = await createKey({ accountId, name: "worker" }));
});
afterEach(() => {
  offsetMs += 10 * 60_000; // gives the next test a full budget
});
afterAll(async () => {
  restore?.();
  await gateway?.stop();
  await closeProviderPools();
  await closeCommitConnections();
  await models?.stop();
});

async function ask(prompt: string, headers: Record<string, string> = {}) {
  const reply = await answer({
    method: "POST",
    path: "/api/v1/prompt",
    query: "",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    readBody: () => ({ text: JSON.stringify({ model: "gpt-4-turbo", prompt }) }),
    remoteAddress: "127.0.0.1",
    signal: new AbortController().signal,
  });
  return { status: reply.status, headers: reply.headers, body: reply.body as string };
}

const held = async () => (await readBalance(accountId)).held;
/** Resolves when the provider has received the call: the hold is placed, and the request has made all its earlier reads. */
const underWay = () => models.awaitCall(({ state }) => state === "running");

/** Sends a request and moves the clock while the answer is under way. Resolves with what was booked. */
async function requestAcross(jumpMs: number) {
  const answered = ask(`How late is it? (${jumpMs}) [[simulate: delay=300]]`);
  await underWay();
  offsetMs += jumpMs;
  const { status, headers, body } = await answered;
  offsetMs -= jumpMs;
  const { requestId } = JSON.parse(body) as { requestId: string };
  const { rows } = await database.pool.query("SELECT provider_ms, first_token_ms FROM charge WHERE request_id = $1", [requestId]);
  return { status, headers, charges: rows as { provider_ms: number; first_token_ms: number | null }[] };
}

const jumps = [
  ["an hour back", -hour],
  ["a minute on", 60_000],
  ["a day on", day],
] as const;

test.each(jumps)("a request during which the clock jumps %s is charged once, and its times are the elapsed ones", async (_, jumpMs) => {
  const { status, headers, charges } = await requestAcross(jumpMs);
  expect(status).toBe(200);
  expect(headers["server-timing"]).toMatch(/^gateway;dur=[\d.]+, provider;dur=[\d.]+$/);
  expect(charges).toEqual([{ provider_ms: expect.any(Number) as number, first_token_ms: expect.any(Number) as number }]);
  expect(charges[0]?.provider_ms).toBeGreaterThanOrEqual(250);
  expect(charges[0]?.provider_ms).toBeLessThan(60_000);
  expect(await held()).toBe(0n);
  expect(await checkLedger()).toEqual([]);
});

// The time to the first token is taken from the clock, not from elapsed time. Unclamped, it could be negative or too large for its
// column, and the charge would be lost with it.
test("the time to the first token is never negative", async () => {
  const { charges } = await requestAcross(-hour);
  expect(charges[0]?.first_token_ms).toBeGreaterThanOrEqual(0);
});

test("a request during which the clock jumps two months ahead is charged", async () => {
  const { status } = await requestAcross(60 * day);
  await database.pool.query("SELECT * FROM gateway_expire_holds(NULL, 10, $1)", [new Date(Date.now() + offsetMs + day)]);
  expect(status).toBe(200);
});

test("holds are freed at their deadline on the clock, never earlier, and a late answer is charged no more than the balance", async () => {
  const answered = ask("Take long. [[simulate: delay=600]]");
  await underWay();
  offsetMs -= hour;
  expect(await expireHolds(commit())).toBe(0);
  offsetMs += hour + 5 * 60_000;
  expect(await expireHolds(commit())).toBe(0); // a provider may still take this long
  offsetMs += 2 * 60_000;
  expect(await expireHolds(commit())).toBe(1);
  expect(await held()).toBe(0n);
  expect((await answered).status).toBe(200);
  expect(await held()).toBe(0n);
  expect(await checkLedger()).toEqual([]);
});

test("limits neither lock an account out nor stop limiting when the clock is set back or ahead", async () => {
  const use = async () => {
    const statuses: number[] = [];
    for (let sent = 0; sent < 7; sent++) statuses.push((await ask("Count me.")).status);
    return statuses.filter((status) => status === 200).length;
  };
  expect(await use()).toBe(5);
  offsetMs -= day;
  const refused = await ask("Too many?");
  expect(refused.status).toBe(429);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(60);
  offsetMs += 60_000;
  expect(await use()).toBe(5);
  offsetMs += 2 * day;
  expect(await use()).toBe(5); // a full budget and no more
});

test("an idempotency key replays its answer after the clock was set back, and for a day", async () => {
  const headers = { "idempotency-key": "once" };
  const first = await ask("Only once.", headers);
  expect(first.status).toBe(200);
  offsetMs -= hour;
  expect(await ask("Only once.", headers)).toMatchObject({ status: 200, body: first.body });
  offsetMs += hour + day - 60_000;
  expect(await ask("Only once.", headers)).toMatchObject({ body: first.body });
  offsetMs += 2 * 60_000;
  const next = await ask("Only once.", headers);
  expect(next.status).toBe(200);
  expect(next.body).not.toBe(first.body);
});
