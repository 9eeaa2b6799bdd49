// Usage through both HTTP servers: rows, groups and totals equal the ledger's charges to the nano-dollar, page by page, and every invalid
// query is refused with the parameter's name and the fix.

import { afterEach, describe, expect, test } from "vitest";
import { createKey } from "@/lib/access/keys";
import { setClock } from "@/lib/base/clock";
import { usdText } from "@/lib/base/money";
import { openAccount, type TestAccount } from "./testing/accounts";
import { chargesOf, expectPaid } from "./testing/books";
import { ask, expectCommonHeaders, promptOf, readError } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService();

type TokenColumn = Extract<keyof Awaited<ReturnType<typeof chargesOf>>[number], `${string}_tokens`>;
const usageOf = (count: (column: TokenColumn) => bigint) => ({
  ...{ inputTokens: Number(count("input_tokens")), outputTokens: Number(count("output_tokens")) },
  totalTokens: Number(count("input_tokens") + count("output_tokens")),
  ...{ cachedInputTokens: Number(count("cached_input_tokens")), cacheWriteTokens: Number(count("cache_write_tokens")) },
  ...{ cacheWrite1hTokens: Number(count("cache_write_1h_tokens")), imageTokens: Number(count("image_tokens")) },
  reasoningTokens: Number(count("reasoning_tokens")),
});

interface Sums {
  requests: number;
  usage: ReturnType<typeof usageOf>;
  /** As digits from the answer. */
  cost: { inputCost: string; outputCost: string; totalCost: string };
}

interface Usage<Row> extends Record<"from" | "to", string> {
  groupBy: string[];
  rows: Row[];
  totals: Sums;
  nextCursor: string | null;
}

type Row = Omit<Sums, "requests"> & { requestId: string; at: string; model: string; keyId: string; outcome: string; streamed: boolean };
type Group = Sums & { day?: string; model?: string; keyId?: string };

/** Costs are kept as their original digits: a float would hide a rounding. */
const parse = <T>(text: string): T => JSON.parse(text.replace(/("(?:input|output|total)Cost":)([\d.e+-]+)/g, '$1"$2"')) as T;

let restoreClock = (): void => undefined;
afterEach(() => restoreClock());

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);
  const get = (key: string | undefined, query = "") => ask({ url, key, path: `/api/v1/usage${query}`, method: "GET" });

  async function read<T = Row>(key: string, query = ""): Promise<Usage<T>> {
    const answer = await get(key, query);
    expect(answer.status, answer.text).toBe(200);
    return parse<Usage<T>>(answer.text);
  }

  /** All pages of a query; `between` runs after each. The totals must be the same on every page. */
  async function readAll<T = Row>(key: string, query: string, between = async () => undefined as unknown): Promise<Usage<T>> {
    const first = await read<T>(key, query);
    const rows = [...first.rows];
    for (let cursor = first.nextCursor; cursor !== null; ) {
      await between();
      const page = await read<T>(key, `${query}&cursor=${cursor}`);
      expect({ ...page, rows: [], nextCursor: null }).toEqual({ ...first, rows: [], nextCursor: null });
      rows.push(...page.rows);
      cursor = page.nextCursor;
    }
    return { ...first, rows };
  }

  /** The sums of an account's charges, computed here. */
  async function sumsOf(account: TestAccount): Promise<Sums> {
    const charges = await chargesOf(account.accountId);
    const total = (of: (charge: (typeof charges)[number]) => bigint) => charges.reduce((sum, charge) => sum + of(charge), 0n);
    const [inputCost, outputCost] = [total((one) => one.input_cost), total((one) => one.output_cost)];
    return {
      requests: charges.length,
      usage: usageOf((column) => total((one) => one[column])),
      cost: { inputCost: usdText(inputCost), outputCost: usdText(outputCost), totalCost: usdText(inputCost + outputCost) },
    };
  }

  const models = ["gpt-4o-mini", "claude-haiku-4-5", "grok", "deepseek-chat"];

  /** Sends requests of any model and length, some of them streams, with any of the keys. */
  async function spend(count: number, keys: readonly string[]): Promise<void> {
    const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T;
    for (let sent = 0; sent < count; sent += 10) {
      const answers = Array.from({ length: Math.min(10, count - sent) }, () =>
        ask({
          url,
          key: pick(keys),
          body: promptOf({ model: pick(models), maxTokens: 1 + Math.floor(Math.random() * 40), stream: Math.random() < 0.3 }),
        }),
      );
      for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
    }
  }

  test("hundreds of random requests: every page, every grouping and the totals equal the ledger's charges", async () => {
    const account = await openAccount();
    const second = await createKey({ accountId: account.accountId, name: "second" });
    await spend(300, [account.key, second.key]);
    const charges = await chargesOf(account.accountId);
    const sums = await sumsOf(account);
    expect(sums.requests).toBe(300);
    const { rows, totals } = await readAll(account.key, "?limit=37");
    expect(totals).toEqual(sums);
    expect(rows).toEqual(
      charges.reverse().map((charge) => ({
        requestId: charge.request_id,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        model: charge.model,
        keyId: expect.stringMatching(/^key_/),
        usage: usageOf((column) => charge[column]),
        cost: {
          inputCost: usdText(charge.input_cost),
          outputCost: usdText(charge.output_cost),
          totalCost: usdText(charge.input_cost + charge.output_cost),
        },
        outcome: "complete",
        streamed: charge.streamed,
      })),
    );
    for (const groupBy of ["day", "model", "key", "day,model", "key,model,day"]) {
      const grouped = await readAll<Group>(account.key, `?groupBy=${groupBy}&limit=3`);
      expect(grouped.totals).toEqual(sums);
      expect(grouped.rows.reduce((sum, group) => sum + group.requests, 0)).toBe(300);
      expect(grouped.rows.reduce((sum, group) => sum + group.usage.totalTokens, 0)).toBe(sums.usage.totalTokens);
    }
    const byModel = await read<Group>(account.key, "?groupBy=model");
    expect(byModel.rows.map(({ model }) => model)).toEqual([...models].sort());
    const byKey = await read<Group>(account.key, "?groupBy=key");
    expect(new Set(byKey.rows.map(({ keyId }) => keyId))).toEqual(new Set([account.keyId, second.keyId]));
    await expectPaid(account);
  });

  test("requests charged while pages are read appear in the next listing", async () => {
    const account = await openAccount();
    await spend(20, [account.key]);
    const known = (await chargesOf(account.accountId)).map(({ request_id }) => request_id).reverse();
    const sums = await sumsOf(account);
    const { rows, totals } = await readAll(account.key, "?limit=3", () => spend(4, [account.key]));
    expect(rows.map(({ requestId }) => requestId)).toEqual(known);
    expect(totals).toEqual(sums);
    expect((await read(account.key)).totals).toEqual(await sumsOf(account));
  });

  test("days are UTC, newest first, and a day's span ends before the next", async () => {
    const account = await openAccount();
    for (const at of ["2026-02-28T00:00:00.000Z", "2026-02-28T23:59:59.999Z", "2026-03-01T00:00:00.000Z"]) {
      restoreClock();
      restoreClock = setClock(() => Date.parse(at));
      await spend(1, [account.key]);
    }
    const days = async (query: string) => {
      const { rows } = await read<Group>(account.key, `?groupBy=day${query}`);
      return Object.fromEntries(rows.map(({ day, requests }) => [day, requests]));
    };
    const both = await read<Group>(account.key, "?groupBy=day");
    expect(both.rows.map(({ day }) => day)).toEqual(["2026-03-01", "2026-02-28"]);
    expect(both).toMatchObject({ from: "2026-01-31T00:00:00.000Z", to: "2026-03-02T00:00:00.000Z", groupBy: ["day"] });
    expect(await days("&from=2026-02-28&to=2026-03-01")).toEqual({ "2026-02-28": 2 });
    expect(await days("&from=2026-03-01")).toEqual({ "2026-03-01": 1 });
    expect(await days("&to=2026-02-28T23:59:59.999Z")).toEqual({ "2026-02-28": 1 });
    expect(await days("&from=2026-02-28T01:00:00.001%2B01:00&to=2026-03-01T01:00+01:00")).toEqual({ "2026-02-28": 1 });
  });

  test("the default days stay those of the first page, even after midnight", async () => {
    const account = await openAccount();
    restoreClock = setClock(() => Date.parse("2026-02-28T23:59:59.999Z"));
    await spend(3, [account.key]);
    const { rows } = await readAll(account.key, "?limit=1", async () => {
      restoreClock();
      restoreClock = setClock(() => Date.parse("2026-03-01T00:00:01.000Z"));
    });
    expect(rows).toHaveLength(3);
  });

  test("an account without requests has an empty page, and no account sees another's", async () => {
    const [owner, other] = [await openAccount(), await openAccount()];
    await spend(2, [owner.key]);
    const answer = await get(other.key);
    expectCommonHeaders(answer.headers, answer.headers.get("x-request-id") ?? "");
    const nothing =
      '"totals":{"requests":0,"usage":{"inputTokens":0,"outputTokens":0,"totalTokens":0,"cachedInputTokens":0,"cacheWriteTokens":0,"cacheWrite1hTokens":0,"imageTokens":0,"reasoningTokens":0},"cost":{"inputCost":0,"outputCost":0,"totalCost":0}}';
    expect(answer.text).toMatch(/^\{"from":"[^"]+","to":"[^"]+","groupBy":\[\],"rows":\[\],/);
    expect(answer.text).toContain(`${nothing},"nextCursor":null}`);
    expect((await read<Group>(other.key, "?groupBy=day,model,key")).rows).toEqual([]);
    const { nextCursor } = await read(owner.key, "?limit=1");
    readError(await get(other.key, `?cursor=${nextCursor}`), "INVALID_REQUEST");
  });

  test("a cursor works only with its own query, and a forged one is refused", async () => {
    const account = await openAccount();
    await spend(5, [account.key]);
    const { nextCursor } = await read(account.key, "?limit=2");
    const byModel = await read<Group>(account.key, "?groupBy=model,key&limit=1");
    expect((await read(account.key, `?limit=1000&cursor=${nextCursor}`)).rows).toHaveLength(3);
    const real = JSON.parse(Buffer.from(nextCursor ?? "", "base64url").toString()) as object;
    const forged = (fields: object) => Buffer.from(JSON.stringify({ ...real, ...fields })).toString("base64url");
    const madeUp = ["", "x", "null", "W10", "eyJhIjoxfQ", "%00", `${nextCursor}`.slice(4), `${nextCursor}`.slice(0, -4), "a".repeat(8_000)];
    const forgeries = [
      { query: "x" },
      { mark: "-1" },
      { mark: "9".repeat(30) },
      { mark: 5 },
      { startedMs: 1e300 },
      { startedMs: -1 },
      { after: [5] },
      { after: ["\u0000"] },
      { after: ["a", "b", "c", "d"] },
      { more: 1 },
    ];
    const queries = [
      ...[...madeUp, ...forgeries.map(forged)].map((cursor) => `?cursor=${cursor}`),
      ...["groupBy=day", "groupBy=model,key", "from=2026-01-01", "to=2026-01-01"].map((other) => `?${other}&cursor=${nextCursor}`),
      ...["", "groupBy=model&", "groupBy=key&from=2026-01-01&"].map((other) => `?${other}cursor=${byModel.nextCursor}`),
    ];
    for (const query of queries) {
      const { details } = readError(await get(account.key, query), "INVALID_REQUEST");
      expect(details.issues, query).toMatchObject([{ path: "cursor", message: expect.stringMatching(/omit it to start again$/) }]);
    }
  });

  test("a cursor whose position was changed shows nothing but the account's own charges", async () => {
    const account = await openAccount();
    await spend(3, [account.key]);
    const { nextCursor, rows } = await read(account.key, "?limit=1");
    const real = JSON.parse(Buffer.from(nextCursor ?? "", "base64url").toString()) as object;
    for (const after of [[], ["~~~~"], ["a", "b", "c"], [""]]) {
      const changed = Buffer.from(JSON.stringify({ ...real, after })).toString("base64url");
      const page = await read(account.key, `?cursor=${changed}`);
      expect([0, 3]).toContain(page.rows.length);
      expect(page.totals.requests).toBe(3);
    }
    expect(rows).toHaveLength(1);
  });

  test.each([
    ["from=yesterday", "from", /must be a date like/],
    ["from=", "from", /must be a date like/],
    ["from=2026-02-30", "from", /must be a date like/],
    ["from=2026-13-01", "from", /must be a date like/],
    ["from=1767225600", "from", /must be a date like/],
    ["to=2026-01-01T00:00:00", "to", /must be a date like/],
    ["to=2026-01-01 00:00Z", "to", /must be a date like/],
    ["to=20260101", "to", /must be a date like/],
    ["from=2026-02-01&to=2026-01-01", "to", /^must be after from, because it is exclusive$/],
    ["from=2026-01-01&to=2026-01-01", "to", /^must be after from/],
    ["from=9999-01-01", "from", /^must not be after today$/],
    ["from=2025-01-01&to=2026-01-03", "from", /^must be at most 366 days before to/],
    ["from=0000-01-01&to=9999-12-31", "from", /^must be at most 366 days before to/],
    ["groupBy=modle", "groupBy", /^must be any of day, model, key, separated by commas; "modle" is not$/],
    ["groupBy=day,", "groupBy", /^must be any of/],
    ["groupBy=", "groupBy", /^must be any of/],
    ["groupBy=Day", "groupBy", /^must be any of/],
    ["groupBy=day;model", "groupBy", /^must be any of/],
    ["groupBy=day,model,day", "groupBy", /^names the same grouping twice/],
    ["groupBy=day&groupBy=model", "groupBy", /^appears twice. Send it once$/],
    ["limit=0", "limit", /^must be a whole number from 1 to 1000$/],
    ["limit=1001", "limit", /^must be a whole number/],
    ["limit=-1", "limit", /^must be a whole number/],
    ["limit=1e2", "limit", /^must be a whole number/],
    ["limit=", "limit", /^must be a whole number/],
    ["limit=5&limit=5", "limit", /^appears twice/],
    ["form=2026-01-01", "form", /^is not a field of this request; did you mean from\?$/],
    ["group_by=day", "group_by", /did you mean groupBy\?$/],
    ["curser=x", "curser", /did you mean cursor\?$/],
    ["accountNumber=x", "accountNumber", /; known fields are from, to, groupBy, limit, cursor$/],
    ["__proto__=x", "__proto__", /^is not a field of this request/],
  ])("?%s is refused with the parameter %s and the fix", async (query, path, message) => {
    const { key } = await openAccount();
    const { details } = readError(await get(key, `?${query}`), "INVALID_REQUEST");
    expect(details.issues).toEqual([{ path, message: expect.stringMatching(message) }]);
  });

  test("all mistakes are named at once", async () => {
    const { key } = await openAccount();
    const { details } = readError(await get(key, "?from=x&to=y&groupBy=z&limit=w&v=u"), "INVALID_REQUEST");
    expect((details.issues as { path: string }[]).map(({ path }) => path).sort()).toEqual(["from", "groupBy", "limit", "to", "v"]);
  });

  test.each(["?from=2024-01-01&to=2025-01-01", "?from=0000-01-01&to=0000-12-31", "?from=9998-12-31&to=9999-12-31", "?to=0000-01-01", "?"])(
    "%s is a valid time range",
    async (query) => {
      const { key } = await openAccount();
      expect((await read(key, query)).rows).toEqual([]);
      expect((await read<Group>(key, `${query}&groupBy=day`)).rows).toEqual([]);
    },
  );

  test("it needs a key, counts as a request, and accepts only GET", async () => {
    readError(await get(undefined), "INVALID_API_KEY");
    const { key } = await openAccount({ limits: { ratePerMinute: 1, concurrency: 1 } });
    await read(key);
    readError(await get(key), "RATE_LIMIT_EXCEEDED");
    readError(await ask({ url, path: "/api/v1/usage", body: {} }), "METHOD_NOT_ALLOWED");
  });
});
