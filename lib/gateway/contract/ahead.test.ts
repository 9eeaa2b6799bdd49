// A hold ahead as a customer meets it, through both doors: the answer's id is the hold's everywhere, nobody is told of it as money that is
// gone, nobody is refused for it, and it outlives neither its key nor a fault. Monotonic time stands still.

import pg from "pg";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createKey, setKeyState } from "@/lib/access/keys";
import { nanoUsd, parseUsd, usdText } from "@/lib/base/money";
import { forgetOnce } from "@/lib/base/once";
import { pool } from "@/lib/db/pool";
import { readBalance } from "@/lib/ledger/accounts";
import { openAccount, type TestAccount } from "./testing/accounts";
import { chargesOf, expectPaid } from "./testing/books";
import {
  type Answer,
  ask,
  expectCommonHeaders,
  misbehaving,
  modelOf,
  promptOf,
  readCosts,
  readError,
  readEvents,
  readPromptBody,
} from "./testing/client";
import { doorNames, openService } from "./testing/service";

const service = await openService();

beforeEach(() => {
  const ms = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => ms);
});
// Before the service looks whether anything is held.
afterEach(() => void vi.restoreAllMocks());

const amountIn = ({ text }: Answer, name: string): bigint => parseUsd(new RegExp(`"${name}":([\\d.]+)`).exec(text)?.[1] ?? "");

async function holdsOf({ accountId }: TestAccount): Promise<{ id: string; ceiling: bigint }[]> {
  const { rows } = await pool().query("SELECT request_id AS id, ceiling FROM hold WHERE account_id = $1", [accountId]);
  return rows;
}

/** A statement of the request path, as it is handed to a connection. */
interface Statement {
  name: string;
  submit: (connection: unknown) => Error | undefined;
  callback: (error: Error | null, rows?: unknown[]) => void;
}

/** The names of the request path's statements from now on; `change` may change one before it is sent. */
function watchStatements(change = (_statement: Statement): void => undefined): string[] {
  const names: string[] = [];
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
  vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const statement = args[0] as Statement;
    if (/^gateway_|^ledger_settle/.test(statement.name ?? "")) {
      names.push(statement.name);
      change(statement);
    }
    return Reflect.apply(query, this, args);
  } as never);
  return names;
}

const cut = new Error("the connection was cut");

describe.each(doorNames)("through the %s door", (door) => {
  const url = service.url(door);
  const prompt = (key: string, fields = {}, headers = {}) => ask({ url, key, body: promptOf(fields), headers });
  const get = (key: string, path: string) => ask({ url, key, path: `/api/v1/${path}`, method: "GET" });

  const quotedCeiling = async ({ key }: TestAccount) =>
    amountIn(await ask({ url, key, path: "/api/v1/quote", body: promptOf() }), "ceiling");

  /** Four answers in a row; returns the hold that is ahead then. */
  async function askInARow(account: TestAccount): Promise<{ id: string; ceiling: bigint }> {
    for (const _ of [1, 2, 3, 4]) expect((await prompt(account.key)).status).toBe(200);
    const [ahead, ...others] = await holdsOf(account);
    if (!ahead) throw new Error("nothing is ahead");
    expect(others).toEqual([]);
    return ahead;
  }

  /** A customer with a key that has four answers and a hold ahead, beside which a tenth of a ceiling is free, of its balance or its cap. */
  async function openNearlyEmpty(limit: "balance" | "cap" = "balance") {
    const probe = await openAccount();
    const ceiling = await quotedCeiling(probe);
    const cost = readCosts((await prompt(probe.key)).text).totalCost;
    const usable = 4n * cost + (ceiling * 5n) / 4n + ceiling / 10n;
    const cap = { nanoUsd: nanoUsd(usable), period: "total" as const };
    const account = await openAccount(limit === "cap" ? { key: { cap } } : { usd: usdText(usable) });
    const ahead = await askInARow(account);
    return { account, ahead, ceiling, left: usable - 4n * cost };
  }

  test("the next answer has the id of the hold ahead, in body, header, receipt and charge, and costs exactly what it says", async () => {
    const account = await openAccount();
    const ahead = await askInARow(account);
    const answer = await prompt(account.key);
    expect(readPromptBody(answer.text).requestId).toBe(ahead.id);
    expectCommonHeaders(answer.headers, ahead.id);
    const receipt = await get(account.key, `requests/${ahead.id}`);
    expect(JSON.parse(receipt.text)).toMatchObject({ requestId: ahead.id, state: "charged" });
    expect(readCosts(receipt.text)).toEqual(readCosts(answer.text));
    const charges = (await chargesOf(account.accountId)).filter(({ request_id }) => request_id === ahead.id);
    expect(charges.map((charge) => charge.input_cost + charge.output_cost)).toEqual([readCosts(answer.text).totalCost]);
  });

  test("a stream's and a chat's answer have the id of the hold ahead too", async () => {
    const account = await openAccount();
    const first = await askInARow(account);
    const stream = await prompt(account.key, { stream: true });
    expect(stream.headers.get("x-request-id")).toBe(first.id);
    expect(readPromptBody(readEvents(stream.text).at(-1)?.data ?? "").requestId).toBe(first.id);
    const [second] = await holdsOf(account);
    const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Why does a quokka smile?" }] };
    const chat = await ask({ url, key: account.key, path: "/api/v1/chat/completions", body });
    expect(chat.headers.get("x-request-id")).toBe(second?.id);
    expect(JSON.parse(chat.text)).toMatchObject({ id: second?.id });
  });

  test("an error of a request that took one names its id as well, and all of it is given back", async () => {
    const account = await openAccount();
    const ahead = await askInARow(account);
    // Within what is ahead: as long as the prompt before, nearly.
    const failed = await prompt(account.key, { prompt: "Why? quokka [[simulate: status=500]]" });
    expect(failed.status).toBe(500);
    expect(failed.headers.get("x-request-id")).toBe(ahead.id);
    expect((await readBalance(account.accountId)).held).toBe(0n);
    await expectPaid(account);
  });

  test("the balance is told without what is ahead", async () => {
    const account = await openAccount();
    await askInARow(account);
    const { posted } = await readBalance(account.accountId);
    const told = await get(account.key, "balance");
    expect([amountIn(told, "held"), amountIn(told, "available"), amountIn(told, "balance")]).toEqual([0n, posted, posted]);
  });

  test("a quote tells what is available without what is ahead", async () => {
    const { account, ceiling } = await openNearlyEmpty();
    const told = await ask({ url, key: account.key, path: "/api/v1/quote", body: promptOf() });
    expect(amountIn(told, "available")).toBe((await readBalance(account.accountId)).posted);
    expect(JSON.parse(told.text)).toMatchObject({ covered: true });
    expect(amountIn(told, "ceiling")).toBe(ceiling);
  });

  test("the last money: another key of the account is served though it lies ahead", async () => {
    const { account } = await openNearlyEmpty();
    const other = await createKey({ accountId: account.accountId, name: "other" });
    expect((await prompt(other.key)).status).toBe(200);
    await expectPaid(account);
  });

  test("when it is too little without what is ahead as well, the refusal tells all that there is", async () => {
    const { account, left } = await openNearlyEmpty();
    const other = await createKey({ accountId: account.accountId, name: "other" });
    const refused = await prompt(other.key, { maxTokens: 16_000 });
    readError(refused, "INSUFFICIENT_BALANCE");
    expect(amountIn(refused, "currentBalance")).toBe(left);
    expect(amountIn(refused, "requiredBalance") - amountIn(refused, "deficit")).toBe(left);
    expect(await holdsOf(account)).toEqual([]);
  });

  test("the last of a key's cap serves a request that may not take what is ahead", async () => {
    const { account } = await openNearlyEmpty("cap");
    expect((await prompt(account.key, {}, { "idempotency-key": "one" })).status).toBe(200);
    await expectPaid(account);
  });

  test("a cap that is reached without what is ahead as well tells what is spent, and nothing more", async () => {
    const { account } = await openNearlyEmpty("cap");
    const refused = await prompt(account.key, { maxTokens: 16_000 }, { "idempotency-key": "one" });
    readError(refused, "SPEND_CAP_REACHED");
    expect(amountIn(refused, "spent")).toBe(account.credit - (await readBalance(account.accountId)).posted);
  });

  test("a key that is revoked while a hold lies ahead gets that one answer at most, then none, and the hold is given back", async () => {
    const account = await openAccount();
    const ahead = await askInARow(account);
    await setKeyState(account.accountId, account.keyId, "revoked");
    // Until the process has heard of it: what is ahead was decided before.
    const first = await prompt(account.key);
    if (first.status === 200) expect(readPromptBody(first.text).requestId).toBe(ahead.id);
    else expect(readError(first, "INVALID_API_KEY").details.reason).toBe("revoked");
    expect(readError(await prompt(account.key), "INVALID_API_KEY").details.reason).toBe("revoked");
    vi.restoreAllMocks();
    await expectPaid(account);
    expect(await chargesOf(account.accountId)).toHaveLength(first.status === 200 ? 5 : 4);
  });

  test.each<[string, (statement: Statement) => void]>([
    ["before it was sent", (statement) => Object.assign(statement, { submit: () => cut })],
    [
      "after its commit",
      (statement) => {
        const { callback } = statement;
        statement.callback = () => callback(cut);
      },
    ],
  ])(
    "a charge whose statement is cut %s is tried again and charged once, and the hold that came with it given back",
    async (_when, change) => {
      const account = await openAccount();
      for (const _ of [1, 2, 3]) await prompt(account.key);
      const names: string[] = watchStatements((statement) => {
        if (names.join() === "gateway_decide_lone_hold,gateway_settle_and_hold") change(statement);
      });
      expect((await prompt(account.key)).status).toBe(200);
      expect(names.slice(0, 3)).toEqual(["gateway_decide_lone_hold", "gateway_settle_and_hold", "ledger_settle_lone_charge"]);
      await expect.poll(() => holdsOf(account), { timeout: 5_000 }).toEqual([]);
      expect(await chargesOf(account.accountId)).toHaveLength(4);
      await expectPaid(account);
    },
  );

  test("in a row a request takes one statement instead of two", async () => {
    const account = await openAccount();
    const names = watchStatements();
    for (const _ of [1, 2, 3]) await prompt(account.key);
    expect(names.splice(0)).toEqual([1, 2, 3].flatMap(() => ["gateway_decide_lone_hold", "ledger_settle_lone_charge"]));
    for (const _ of [1, 2, 3]) await prompt(account.key);
    expect(names).toEqual(["gateway_decide_lone_hold", ...[1, 2, 3].map(() => "gateway_settle_and_hold")]);
  });

  test("where Redis tells of other processes nothing is set aside", async () => {
    const account = await openAccount();
    vi.stubEnv("REDIS_URL", "redis://127.0.0.1:1");
    forgetOnce("config");
    try {
      for (const _ of [1, 2, 3, 4, 5]) expect((await prompt(account.key)).status).toBe(200);
      expect(await holdsOf(account)).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
      forgetOnce("config");
    }
  });

  test("an answer above its own ceiling, and below what was ahead, costs its ceiling; the operator bears the rest", async () => {
    const account = await openAccount();
    const ahead = await askInARow(account);
    const body = misbehaving("usage=in:20,out:1150");
    const ceiling = amountIn(await ask({ url, key: (await openAccount()).key, path: "/api/v1/quote", body }), "ceiling");
    const due = 20n * modelOf("gpt-4o-mini").inputPrice + 1_150n * modelOf("gpt-4o-mini").outputPrice;
    expect(due > ceiling && due < ahead.ceiling).toBe(true);
    const answer = await ask({ url, key: account.key, body });
    expect(readPromptBody(answer.text).requestId).toBe(ahead.id);
    expect(readCosts(answer.text).totalCost).toBe(ceiling);
    const charge = (await chargesOf(account.accountId)).find(({ request_id }) => request_id === ahead.id);
    expect(charge?.operator_loss).toBe(due - ceiling);
    vi.restoreAllMocks(); // and the next that is ahead is given back
    await expectPaid(account);
  });
});
