// Every route counts: each paid endpoint, whole and streamed, applies keys, scopes, caps, limits, holds, idempotency and receipts, and each
// free one neither calls a provider that bills nor charges. The routes come from the service's own tables; one that is not declared fails.
// What another gateway had: budgets that never counted two of its endpoints (github.com/BerriAI/litellm/issues/36176 and 38176).

import { describe, expect, test } from "vitest";
import { createKey, setKeyState } from "@/lib/access/keys";
import { changeKey } from "@/lib/access/testing/change-key";
import { nanoUsd, parseUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { openAccount } from "./testing/accounts";
import { balanceOf, chargesOf, expectPaid, expectUncharged } from "./testing/books";
import { ask } from "./testing/client";
import { openCountedProvider } from "./testing/counted-provider";
import { buyAt, findUndeclared, freeRoutes, heldFor, readRefusal, salesForKey, soldForKey, spentBy } from "./testing/every-route";

const { service, provider, url, whileOneRuns } = await openCountedProvider();
const buy = buyAt(service);
const sales = salesForKey();

/** An amount in an error's details, nano-USD. */
const amountOf = (value: unknown): bigint => parseUsd(String(value));

test("every route is declared as sold or as free", () => expect(findUndeclared()).toEqual([]));

describe.each(sales)("$name", (sale) => {
  /** The refusal of one request, which called no provider. */
  const refusalOf = async (key?: string, headers: Record<string, string> = {}) => {
    const before = provider.calls.length;
    const refusal = readRefusal(sale, await buy(sale, { key, headers }));
    expect(provider.calls.length).toBe(before);
    return refusal;
  };
  const served = async (key: string, headers: Record<string, string> = {}) => {
    const answer = await buy(sale, { key, headers });
    expect(answer.status, answer.text.slice(0, 500)).toBe(200);
    return answer;
  };

  test("a key is needed, and a paused, expired, revoked or unknown one is refused, as is a frozen account's", async () => {
    const account = await openAccount();
    const { accountId } = account;
    const keys = { active: account, paused: await createKey({ accountId, name: "p" }), revoked: await createKey({ accountId, name: "r" }) };
    await setKeyState(accountId, keys.paused.keyId, "paused");
    await setKeyState(accountId, keys.revoked.keyId, "revoked");
    const expired = await createKey({ accountId, name: "e", expiresAt: new Date(0) });
    const reasons = {
      missing: undefined,
      malformed: "pp_short",
      disabled: keys.paused.key,
      revoked: keys.revoked.key,
      expired: expired.key,
    };
    for (const [reason, key] of Object.entries(reasons))
      expect(await refusalOf(key)).toMatchObject({ status: 401, code: "INVALID_API_KEY", details: { reason } });
    await pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [accountId]);
    expect(await refusalOf(account.key)).toMatchObject({ status: 401, details: { reason: "disabled" } });
    await expectUncharged(account);
  });

  test("a key that this process has not yet heard of as revoked is refused where the money is held", async () => {
    const account = await openAccount();
    await served(account.key);
    // Without triggers nobody is told.
    const silently = "SET LOCAL session_replication_role = replica; UPDATE api_key SET state = 'revoked' WHERE id = ";
    await pool().query(`BEGIN; ${silently}'${account.keyId}'; COMMIT`);
    expect(await refusalOf(account.key)).toMatchObject({ status: 401, code: "INVALID_API_KEY", details: { reason: "revoked" } });
    await expectPaid(account);
  });

  test("a key does only what its scope, its models and its addresses allow", async () => {
    const reader = await openAccount({ key: { scopes: ["read", "account"] } });
    expect(await refusalOf(reader.key)).toMatchObject({ status: 403, code: "KEY_NOT_ALLOWED", details: { neededScope: "prompt" } });
    const elsewhere = await openAccount({ key: { networks: ["203.0.113.0/24"] } });
    expect(await refusalOf(elsewhere.key)).toMatchObject({ status: 403, code: "KEY_NOT_ALLOWED", details: { reason: "address" } });
    const otherModel = await openAccount({ key: { allowedModels: ["claude-haiku-4-5"] } });
    expect(await refusalOf(otherModel.key)).toMatchObject({ code: "INVALID_MODEL" });
    for (const account of [reader, elsewhere, otherModel]) await expectUncharged(account);
  });

  test("the ceiling is held before the provider is called, and the exact cost is charged after", async () => {
    const account = await openAccount();
    let held: bigint[] = [];
    let chargedBefore: unknown[] = [];
    provider.onCall = async () => {
      [held, chargedBefore] = [await heldFor(account.accountId), await chargesOf(account.accountId)];
    };
    const answer = await served(account.key);
    expect([provider.billed, held.length, chargedBefore]).toEqual([1, 1, []]);
    expect(held[0]).toBeGreaterThanOrEqual(sale.cost);
    const [charge, ...others] = await chargesOf(account.accountId);
    expect([charge?.request_id, others]).toEqual([answer.headers.get("x-request-id"), []]);
    expect((charge?.input_cost ?? 0n) + (charge?.output_cost ?? 0n)).toBe(sale.cost);
    expect(charge).toMatchObject({ streamed: sale.stream, estimated: false, outcome: "complete", operator_loss: 0n });
    expect(await balanceOf(account.accountId)).toBe(account.credit - sale.cost);
    await expectPaid(account);
  });

  test("a provider that fails costs nothing, and the hold is free again", async () => {
    const account = await openAccount();
    provider.fails = true;
    expect(readRefusal(sale, await buy(sale, { key: account.key })).code).toBe("INTERNAL_ERROR");
    expect(provider.billed).toBeGreaterThan(0);
    await expectUncharged(account);
  });

  test("too small a balance is refused before any call, with what is missing", async () => {
    const account = await openAccount({ usd: "0.000000001" });
    const { status, code, details } = await refusalOf(account.key);
    expect([status, code]).toEqual([402, "INSUFFICIENT_BALANCE"]);
    expect(amountOf(details.currentBalance)).toBe(1n);
    expect(amountOf(details.deficit)).toBe(amountOf(details.requiredBalance) - 1n);
    await expectUncharged(account);
  });

  test("a key's cap refuses before any call, and counts what this endpoint spent", async () => {
    const tight = await openAccount({ key: { cap: { nanoUsd: nanoUsd(sale.cost), period: "month" } } });
    expect(await refusalOf(tight.key)).toMatchObject({ status: 402, code: "SPEND_CAP_REACHED" });
    await expectUncharged(tight);
    let ceiling = 0n;
    const account = await openAccount();
    provider.onCall = async () => {
      [ceiling = 0n] = await heldFor(account.accountId);
    };
    await served(account.key);
    provider.onCall = async () => undefined;
    const capped = await openAccount({ key: { cap: { nanoUsd: nanoUsd(ceiling), period: "month" } } });
    await served(capped.key);
    expect(await spentBy(capped.keyId)).toBe(sale.cost);
    const { code, details } = await refusalOf(capped.key);
    expect([code, amountOf(details.spent), amountOf(details.cap)]).toEqual(["SPEND_CAP_REACHED", sale.cost, ceiling]);
    await expectPaid(capped);
  });

  test("the account's rate is counted and refuses", async () => {
    const account = await openAccount({ limits: { ratePerMinute: 1, concurrency: 9 } });
    expect((await served(account.key)).headers.get("x-ratelimit-remaining")).toBe("0");
    expect(await refusalOf(account.key)).toMatchObject({ status: 429, code: "RATE_LIMIT_EXCEEDED", details: { limit: "rate" } });
    await expectPaid(account);
  });

  test("it takes a concurrency slot until its end", async () => {
    const account = await openAccount({ limits: { ratePerMinute: 99, concurrency: 1 } });
    const { key } = account;
    const first = await whileOneRuns(buy(sale, { key }), async () => {
      expect(await refusalOf(key)).toMatchObject({ status: 429, code: "RATE_LIMIT_EXCEEDED", details: { limit: "concurrency" } });
    });
    expect(first.status).toBe(200);
    await served(key);
    await expectPaid(account);
  });

  test("an Idempotency-Key is answered from the first run and charged once; other bodies, and a second while it runs, are refused", async () => {
    const account = await openAccount();
    const { key, accountId } = account;
    const headers = { "idempotency-key": "once" };
    const first = await whileOneRuns(buy(sale, { key, headers }), async () => {
      expect(await refusalOf(key, headers)).toMatchObject({ status: 409, code: "REQUEST_IN_PROGRESS" });
    });
    const again = await served(key, headers);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.headers.get("x-request-id")).toBe(first.headers.get("x-request-id"));
    if (!sale.stream) expect(again.text).toBe(first.text);
    const other = readRefusal(sale, await buy(sale, { key, headers, text: "Why not?" }));
    expect(other).toMatchObject({ status: 400, code: "INVALID_REQUEST", details: { reason: "idempotency_mismatch" } });
    const { key: stranger } = await createKey({ accountId, name: "stranger", scopes: ["prompt"] });
    expect(await refusalOf(stranger, headers)).toMatchObject({ details: { reason: "idempotency_mismatch" } });
    expect([provider.billed, (await chargesOf(accountId)).length]).toEqual([1, 1]);
    await expectPaid(account);
  });

  test("a failure leaves its Idempotency-Key free", async () => {
    const account = await openAccount();
    const headers = { "idempotency-key": "again" };
    provider.fails = true;
    expect((await buy(sale, { key: account.key, headers })).status).toBe(500);
    provider.fails = false;
    expect((await served(account.key, headers)).headers.get("idempotent-replayed")).toBeNull();
    await expectPaid(account);
  });

  test("its request id leads to a receipt and a row of usage, and the totals are the books'", async () => {
    const account = await openAccount();
    const id = (await served(account.key)).headers.get("x-request-id");
    const read = async (path: string) => JSON.parse((await ask({ url, key: account.key, path: `/api/v1${path}`, method: "GET" })).text);
    const receipt = await read(`/requests/${id}`);
    expect(receipt).toMatchObject({ requestId: id, state: "charged", keyId: account.keyId, streamed: sale.stream, paidBy: "balance" });
    const { rows, totals } = await read("/usage");
    expect(rows).toMatchObject([{ requestId: id }]);
    for (const { cost } of [receipt, rows[0], totals]) expect(amountOf(cost.totalCost)).toBe(sale.cost);
    expect(amountOf((await read("/balance")).available)).toBe(account.credit - sale.cost);
    await expectPaid(account);
  });

  test("a signed payment is not ignored: one that cannot be read is refused", async () => {
    const account = await openAccount();
    const refusal = await refusalOf(account.key, { "payment-proof": "bm90IGEgcHJvb2Y=" });
    expect(refusal).toMatchObject({ status: 402, code: "PAYMENT_VERIFICATION_FAILED", details: { reason: "malformed" } });
    await expectUncharged(account);
  });
});

test("one key's cap counts what it spent at all of them, and refuses at each", async () => {
  const account = await openAccount({ key: { cap: { nanoUsd: parseUsd("1"), period: "day" } } });
  for (const sale of sales) expect((await buy(sale, { key: account.key })).status, sale.name).toBe(200);
  const spent = sales.reduce((sum, { cost }) => sum + cost, 0n);
  expect(await spentBy(account.keyId)).toBe(spent);
  expect(await balanceOf(account.accountId)).toBe(account.credit - spent);
  await changeKey(account.keyId, { capNanoUsd: spent });
  for (const sale of sales) {
    const { code, details } = readRefusal(sale, await buy(sale, { key: account.key }));
    expect([sale.name, code, amountOf(details.spent)]).toEqual([sale.name, "SPEND_CAP_REACHED", spent]);
  }
  expect(provider.billed).toBe(sales.length);
  await expectPaid(account);
});

const freeWithKey = Object.entries(freeRoutes).filter(([route]) => !route.includes(" /playground/"));

describe.each(freeWithKey)("%s is free", (route, { rest, body }) => {
  test("it calls no provider that bills for it, holds nothing and charges nothing", async () => {
    const account = await openAccount();
    const { key, accountId } = account;
    const [sale] = sales;
    const requestId = (sale && (await buy(sale, { key })).headers.get("x-request-id")) ?? "";
    const before = { charges: await chargesOf(accountId), billed: provider.billed };
    let held: bigint[] = [];
    provider.onCall = async () => {
      held = await heldFor(accountId);
    };
    const [method = "", path = ""] = route.split(" ");
    const at = path.replace("{id}", rest?.({ requestId }) ?? "");
    const answer = await ask({ url, key, path: at, method, body });
    expect(answer.status, answer.text.slice(0, 500)).toBe(200);
    // Nor for any body that is sold elsewhere.
    if (method === "POST")
      for (const { bodyOf } of Object.values(soldForKey)) await ask({ url, key, path: at, method, body: bodyOf("Why?") });
    expect({ charges: await chargesOf(accountId), billed: provider.billed, held }).toEqual({ ...before, held: [] });
    await expectPaid(account);
  });
});
