// The client against the service itself, with simulated models: its types match the answers, and nothing is paid twice.

import { connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { AccountId } from "@/lib/base/ids";
import { noTokens } from "@/lib/base/tokens/token-kinds";
import { pool } from "@/lib/db/pool";
import { openAccount } from "@/lib/gateway/contract/testing/accounts";
import { awaitNothingHeld, chargesOf, expectPaid, openHolds, until } from "@/lib/gateway/contract/testing/books";
import { QUESTION } from "@/lib/gateway/contract/testing/client";
import { openService } from "@/lib/gateway/contract/testing/service";
import { addDeposit } from "@/lib/wallets/deposits/testing/scanned-deposits";
import {
  type Balance,
  type Deposit,
  type DepositPage,
  hasCode,
  PennyPrompt,
  type PromptAnswer,
  type Quote,
  type Receipt,
  type TokenUsage,
  type UsageGroup,
  type UsageInKinds,
  type UsagePage,
  type UsageQuery,
  type UsageRequest,
} from "./pennyprompt";

const service = await openService();
const request = { model: "gpt-4o-mini", prompt: QUESTION, maxTokens: 50 };
const anyId = expect.stringMatching(/^req_[0-9A-Za-z]{20}$/);
const anyInstant = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

/** The usage of a request without caches, images and reasoning. */
const inKinds = (usage: TokenUsage): UsageInKinds => ({
  ...noTokens,
  ...usage,
});

const openClient = (key: string, baseUrl = service.url("node")) => new PennyPrompt({ apiKey: key, baseUrl });

/** An amount in whole nano-USD. */
const nano = (usd: number): bigint => BigInt(Math.round(usd * 1e9));

describe("answers match the types", () => {
  test("prompt, balance and models", async () => {
    const account = await openAccount();
    const client = openClient(account.key);
    const answer = await client.prompt({ ...request, system: "Be kind", temperature: 0.5, maxCost: 1 });
    const expected: PromptAnswer = {
      success: true,
      text: expect.stringMatching(/^Simulated answer/),
      model: "gpt-4o-mini",
      usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number), totalTokens: expect.any(Number) },
      cost: { inputCost: expect.any(Number), outputCost: expect.any(Number), totalCost: expect.any(Number) },
      requestId: anyId,
    };
    expect(answer).toEqual(expected);
    await awaitNothingHeld();
    const amounts = { balance: expect.any(Number), held: 0, available: expect.any(Number) };
    const balance: Balance = { ...amounts, currency: "USD", wallet: null, withdrawals: [], requestId: anyId };
    const now = await client.balance();
    expect(now).toEqual(balance);
    expect(nano(now.balance)).toBe(account.credit - nano(answer.cost.totalCost));
    const models = await client.models();
    expect(models.requestId).toEqual(anyId);
    expect(models.data.find(({ id }) => id === "gpt-4o-mini")?.pricing).toEqual({
      inputPer1K: expect.any(Number),
      outputPer1K: expect.any(Number),
      currency: "USD",
    });
  });

  test("a stream's pieces add up to its text", async () => {
    const account = await openAccount();
    let text = "";
    for await (const event of openClient(account.key).stream(request)) {
      if (event.type === "delta") text += event.text;
      else expect(event.answer).toMatchObject({ success: true, text, requestId: anyId });
    }
    expect(text).toMatch(/^Simulated answer/);
    await expectPaid(account);
  });

  test("a receipt, charged and in progress", async () => {
    const account = await openAccount();
    const client = openClient(account.key);
    const { requestId, usage, cost, model } = await client.prompt(request);
    const charged: Receipt = {
      requestId,
      state: "charged",
      at: anyInstant,
      model,
      provider: "openai",
      keyId: account.keyId,
      usage: inKinds(usage),
      cost,
      priceVersion: expect.any(String),
      pricing: { inputPerToken: expect.any(Number), outputPerToken: expect.any(Number), currency: "USD" },
      costByKind: expect.any(Array),
      outcome: "complete",
      estimated: false,
      streamed: false,
      firstTokenMs: expect.any(Number),
      providerMs: expect.any(Number),
      paidBy: "balance",
      whenLeft: "cut",
      payment: null,
    };
    const receipt = await client.request(requestId);
    expect({ ...receipt, firstTokenMs: 1 }).toEqual({ ...charged, firstTokenMs: 1 });
    const events = client.stream({ ...request, prompt: `${QUESTION} [[simulate: slow=50]]` })[Symbol.asyncIterator]();
    await events.next();
    const held: Receipt = {
      requestId: anyId,
      state: "in_progress",
      at: anyInstant,
      keyId: account.keyId,
      ceiling: expect.any(Number),
      deadline: anyInstant,
    };
    expect(await client.request(await heldRequest(account.accountId))).toEqual(held);
    await events.return(undefined);
    await expect(client.request("req_nobody")).rejects.toMatchObject({ code: "NOT_FOUND", status: 404, requestId: anyId });
  });

  test("deposits, page by page", async () => {
    const { accountId, key } = await openAccount();
    const ids = [await addDeposit({ accountId, usd: "5", block: 7 }), await addDeposit({ accountId, usd: "6", block: 7 })];
    const client = openClient(key);
    const first = await client.deposits({ limit: 1 });
    const second = await client.deposits({ limit: 1, cursor: first.nextCursor ?? "" });
    const deposit: Deposit = {
      id: expect.stringMatching(/^base_/),
      chain: "base",
      state: "seen",
      amount: expect.any(Number),
      address: expect.any(String),
      transaction: expect.stringMatching(/^0x/),
      transactionUrl: null,
      block: 7,
      confirmations: 0,
      neededConfirmations: 1,
      isFinal: false,
      seenAt: anyInstant,
      creditedAt: null,
      reversedAt: null,
    };
    const page: DepositPage = { rows: [deposit], nextCursor: null, requestId: anyId };
    expect([{ ...first, nextCursor: null }, second]).toEqual([page, page]);
    expect([...first.rows, ...second.rows].map(({ id }) => id).sort()).toEqual(ids.sort());
  });

  test("usage, by request and in groups, page by page", async () => {
    const account = await openAccount();
    const client = openClient(account.key);
    const answers = [await client.prompt(request), await client.prompt(request), await client.prompt(request)];
    const total = answers.reduce((sum, { cost }) => sum + nano(cost.totalCost), 0n);
    const rows: UsageRequest[] = [];
    for await (const page of client.usagePages({ limit: 2 })) {
      rows.push(...page.rows);
      expect([page.totals.requests, nano(page.totals.cost.totalCost)]).toEqual([3, total]);
    }
    const expectedRows = answers.toReversed().map(
      ({ requestId, model, usage, cost }): UsageRequest => ({
        ...{ requestId, model, usage: inKinds(usage), cost, keyId: account.keyId },
        ...{ at: anyInstant, outcome: "complete", streamed: false },
      }),
    );
    expect(rows).toEqual(expectedRows);
    const groups: UsagePage<UsageGroup> = await client.usage({ groupBy: ["day", "model", "key"] });
    const { requestId, totals } = groups;
    // The row type of a query built at run time is not known at compile time.
    const query: UsageQuery = { groupBy: undefined };
    const either: UsagePage<UsageGroup | UsageRequest> = await client.usage(query);
    expect(either.rows).toEqual(rows);
    const group: UsageGroup = { day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), model: "gpt-4o-mini", keyId: account.keyId, ...totals };
    const expected: UsagePage<UsageGroup> = {
      ...{ from: anyInstant, to: anyInstant, groupBy: ["day", "model", "key"], totals },
      ...{ rows: [group], nextCursor: null, requestId },
    };
    expect(groups).toEqual(expected);
    expect(requestId).toEqual(anyId);
  });

  test("a quote", async () => {
    const account = await openAccount({ usd: "1" });
    const quote: Quote = {
      model: "gpt-4o-mini",
      inputTokens: expect.any(Number),
      maxOutputTokens: 50,
      maxReasoningTokens: 0,
      ceiling: expect.any(Number),
      expected: expect.any(Number),
      available: 1,
      covered: true,
      paymentCents: 1,
      affordableMaxTokens: expect.any(Number),
      ...{ capLeft: null, clippedTo: null },
      withinMaxCost: false,
      priceVersion: expect.any(String),
      pricing: { inputPerToken: expect.any(Number), outputPerToken: expect.any(Number), currency: "USD" },
      whenLeft: "cut",
      requestId: anyId,
    };
    expect(await openClient(account.key).quote({ ...request, maxCost: 0.000000001 })).toEqual(quote);
  });

  test("errors, with their details", async () => {
    const poor = openClient((await openAccount({ usd: "0.000001" })).key);
    const refusal: unknown = await poor.prompt(request).catch((error: unknown) => error);
    if (!hasCode(refusal, "INSUFFICIENT_BALANCE")) return expect.unreachable();
    const { currentBalance, requiredBalance, deficit, affordableMaxTokens, depositUrl, docs } = refusal.details;
    expect(nano(deficit)).toBe(nano(requiredBalance) - nano(currentBalance));
    expect([affordableMaxTokens, typeof depositUrl, typeof docs, refusal.status]).toEqual([0, "string", "string", 402]);
    const unknown: unknown = await openClient("pp_unknown")
      .stream(request)
      .text()
      .catch((error: unknown) => error);
    expect(hasCode(unknown, "INVALID_API_KEY") && unknown.details.reason).toBe("malformed");
  });
});

describe("a connection that is killed", () => {
  const proxies: Server[] = [];
  afterEach(() => {
    for (const proxy of proxies.splice(0)) proxy.close();
  });

  /** A proxy in front of the service, whose first connection `kill` may end. */
  async function openProxy(kill: (client: Socket, upstream: Socket) => void): Promise<string> {
    let isFirst = true;
    const proxy = createServer((client) => {
      const upstream = connect(Number(new URL(service.url("node")).port), "127.0.0.1");
      for (const socket of [client, upstream]) socket.on("error", () => undefined);
      client.on("close", () => upstream.destroy()).pipe(upstream);
      upstream.on("close", () => client.destroy());
      if (isFirst) kill(client, upstream);
      else upstream.pipe(client);
      isFirst = false;
    });
    proxies.push(proxy);
    await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
    const address = proxy.address();
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  }

  async function expectOneCharge(account: Awaited<ReturnType<typeof openAccount>>, answer: PromptAnswer): Promise<void> {
    await awaitNothingHeld();
    expect(await chargesOf(account.accountId)).toHaveLength(1);
    const { balance } = await openClient(account.key).balance();
    expect(nano(balance)).toBe(account.credit - nano(answer.cost.totalCost));
    await expectPaid(account);
  }

  test("while the answer was in transit: it is sent again, and is charged once", async () => {
    const account = await openAccount();
    const url = await openProxy((client, upstream) => upstream.once("data", () => client.destroy()));
    const answer = await openClient(account.key, url).prompt(request);
    expect(answer.text).toMatch(/^Simulated answer/);
    await expectOneCharge(account, answer);
  });

  test("while the model was running: its answer is waited for, and is charged once", async () => {
    const account = await openAccount();
    const url = await openProxy((client) => {
      void until("it is held", async () => (await openHolds(account.accountId)) === 1).then(() => client.destroy());
    });
    const answer = await openClient(account.key, url).prompt({ ...request, prompt: `${QUESTION} [[simulate: delay=1000]]` });
    expect(answer.text).toMatch(/^Simulated answer/);
    await expectOneCharge(account, answer);
  });

  test("in the middle of a stream: it throws with the request's id, which finds the receipt", async () => {
    const account = await openAccount();
    const url = await openProxy((client, upstream) => {
      upstream.on("data", (chunk) => client.write(chunk, () => chunk.includes("event: delta") && setTimeout(() => client.destroy(), 20)));
    });
    const client = openClient(account.key, url);
    const events = client.stream({ ...request, prompt: `${QUESTION} [[simulate: slow=100]]` });
    const error: unknown = await events.text().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: "ConnectionError", requestId: anyId, idempotencyKey: expect.any(String) });
    await awaitNothingHeld();
    const { requestId = "" } = error as { requestId?: string };
    expect(await client.request(requestId)).toMatchObject({ requestId, state: "charged", outcome: "cancelled", streamed: true });
    expect(await chargesOf(account.accountId)).toHaveLength(1);
    await expectPaid(account);
  });
});

async function heldRequest(accountId: AccountId): Promise<string> {
  const { rows } = await pool().query<{ id: string }>("SELECT request_id AS id FROM hold WHERE account_id = $1", [accountId]);
  return rows[0]?.id ?? "";
}
