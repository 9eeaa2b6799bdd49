// Requests that are understood and refused before any work: no permission, no such thing, too expensive. Each answer has its status, code,
// details and headers, and leaves nothing held and nothing charged.

import { describe, expect, test } from "vitest";
import { generateKey } from "@/lib/access/key-format";
import { setKeyState } from "@/lib/access/keys";
import { fromCents, nanoUsd, parseUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { readBalance } from "@/lib/ledger/accounts";
import { supportedModelNames } from "@/lib/providers/catalogue";
import { openAccount } from "./testing/accounts";
import { awaitNothingHeld, balanceOf, expectPaid, expectUncharged, until } from "./testing/books";
import { type Answer, ask, promptOf, readError } from "./testing/client";
import { entryNames, openService, PUBLIC_URL } from "./testing/service";

const service = await openService();

/** The exact nano-USD of a number in the raw text of an answer. */
const amount = (answer: Answer, name: string): bigint => parseUsd(new RegExp(`"${name}":([^,}]+)`).exec(answer.text)?.[1] ?? "");

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);

  describe("INVALID_API_KEY", () => {
    const expectRefused = (answer: Answer, reason: string) => {
      const { details } = readError(answer, "INVALID_API_KEY");
      expect(Object.keys(details)).toEqual(["reason", "docs"]);
      expect(details.reason).toBe(reason);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    };

    test("missing: no header, or an empty one", async () => {
      expectRefused(await ask({ url, body: promptOf() }), "missing");
      expectRefused(await ask({ url, body: promptOf(), headers: { authorization: "" } }), "missing");
    });

    const whole = generateKey();
    test.each([
      ["a key cut short", `Bearer ${whole.slice(0, -1)}`],
      ["one wrong character", `Bearer ${whole.slice(0, 10)}${whole[10] === "A" ? "B" : "A"}${whole.slice(11)}`],
      ["no scheme", whole],
      ["another scheme", `Basic ${whole}`],
      ["two spaces", `Bearer  ${whole}`],
      ["only a scheme", "Bearer"],
      ["another service's key", "Bearer sk-1234567890abcdef1234567890abcdef"],
      ["two keys", `Bearer ${whole}, Bearer ${whole}`],
      ["ten thousand characters", `Bearer pp_${"x".repeat(10_000)}`],
    ])("malformed: %s", async (_case, authorization) => {
      expectRefused(await ask({ url, body: promptOf(), headers: { authorization } }), "malformed");
    });

    test("unknown: well-formed, but not issued", async () => {
      expectRefused(await ask({ url, key: generateKey(), body: promptOf() }), "unknown");
    });

    test("revoked and disabled by its owner, even when the key is cached", async () => {
      const account = await openAccount();
      expect((await ask({ url, key: account.key, path: "/api/v1/balance", method: "GET" })).status).toBe(200);
      await setKeyState(account.accountId, account.keyId, "paused");
      expectRefused(await ask({ url, key: account.key, body: promptOf() }), "disabled");
      await setKeyState(account.accountId, account.keyId, "active");
      await until(
        "the key works again",
        async () => (await ask({ url, key: account.key, path: "/api/v1/balance", method: "GET" })).status === 200,
      );
      await setKeyState(account.accountId, account.keyId, "revoked");
      expectRefused(await ask({ url, key: account.key, body: promptOf() }), "revoked");
      await expectUncharged(account);
    });

    test("expired", async () => {
      const account = await openAccount({ key: { expiresAt: new Date(Date.now() - 1) } });
      expectRefused(await ask({ url, key: account.key, body: promptOf() }), "expired");
      await expectUncharged(account);
    });

    test("disabled: its account is frozen", async () => {
      const account = await openAccount();
      await pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [account.accountId]);
      expectRefused(await ask({ url, key: account.key, body: promptOf() }), "disabled");
      await expectUncharged(account);
    });

    test("the scheme's case does not matter", async () => {
      const { key } = await openAccount();
      for (const scheme of ["bearer", "BEARER"]) {
        const headers = { authorization: `${scheme} ${key}` };
        expect((await ask({ url, path: "/api/v1/balance", method: "GET", headers })).status).toBe(200);
      }
    });
  });

  describe("INVALID_MODEL", () => {
    test.each(["gpt-99", "GPT-4", "constructor", "__proto__", " gpt-4", "gpt-4\u0000", "\ud800", "m".repeat(5_000)])(
      "%j",
      async (model) => {
        const account = await openAccount();
        const { details } = readError(await ask({ url, key: account.key, body: promptOf({ model }) }), "INVALID_MODEL");
        expect(Object.keys(details)).toEqual(["model", "supportedModels", "docs"]);
        expect(details.model).toBe(model.slice(0, 100));
        expect(details.supportedModels).toEqual(supportedModelNames());
        await expectUncharged(account);
      },
    );

    test("a key limited to certain models gets their list, and may not use another by its alias either", async () => {
      const account = await openAccount({ key: { allowedModels: ["grok"] } });
      for (const model of ["gpt-4o-mini", "openai/gpt-4o-mini"]) {
        const { details } = readError(await ask({ url, key: account.key, body: promptOf({ model }) }), "INVALID_MODEL");
        expect(details).toMatchObject({ model, supportedModels: ["grok"] });
      }
      expect((await ask({ url, key: account.key, body: promptOf({ model: "grok" }) })).status).toBe(200);
    });
  });

  describe("INSUFFICIENT_BALANCE", () => {
    test.each(["0", "0.000001", "0.0004", "0.012345678"])(
      "with %s USD: exact numbers, and affordableMaxTokens is affordable and one more is not",
      async (usd) => {
        const account = await openAccount({ usd });
        const body = { model: "gpt-4-turbo", maxTokens: 4096 };
        const answer = await ask({ url, key: account.key, body: promptOf(body) });
        const { details, error } = readError(answer, "INSUFFICIENT_BALANCE");
        expect(Object.keys(details)).toEqual(["currentBalance", "requiredBalance", "deficit", "affordableMaxTokens", "depositUrl", "docs"]);
        expect(amount(answer, "currentBalance")).toBe(account.credit);
        expect(amount(answer, "deficit")).toBe(amount(answer, "requiredBalance") - account.credit);
        expect(details.depositUrl).toBe(`${PUBLIC_URL}/deposit`);
        const [, has = "", needs = ""] = /^Insufficient balance: has \$([\d.]+), needs \$([\d.]+)$/.exec(error) ?? [];
        expect(parseUsd(has)).toBe(account.credit);
        expect(parseUsd(needs)).toBe(amount(answer, "requiredBalance"));
        await expectUncharged(account);

        const affordable = Number(details.affordableMaxTokens);
        readError(await ask({ url, key: account.key, body: promptOf({ ...body, maxTokens: affordable + 1 }) }), "INSUFFICIENT_BALANCE");
        if (affordable > 0)
          expect((await ask({ url, key: account.key, body: promptOf({ ...body, maxTokens: affordable }) })).status).toBe(200);
        await expectPaid(account);
      },
    );

    test("money held for a running request is not available to another", async () => {
      const account = await openAccount({ usd: "0.00035" }); // one ceiling of gpt-4o-mini at 512 tokens, not two
      const slow = ask({ url, key: account.key, body: promptOf({ maxTokens: 500, prompt: "quokka [[simulate: delay=400]]" }) });
      await until("the first is held", async () => (await readBalance(account.accountId)).held > 0n);
      const refused = await ask({ url, key: account.key, body: promptOf({ maxTokens: 500 }) });
      expect(refused.status).toBe(402);
      expect(amount(refused, "currentBalance")).toBeLessThan(account.credit);
      expect((await slow).status).toBe(200);
      await expectPaid(account);
    });
  });

  test("SPEND_CAP_REACHED: the key's own cap, the amount spent, and when it resets", async () => {
    const account = await openAccount({ key: { cap: { nanoUsd: nanoUsd(900_000), period: "day" } } });
    expect((await ask({ url, key: account.key, body: promptOf() })).status).toBe(200);
    await awaitNothingHeld();
    const spent = account.credit - (await balanceOf(account.accountId));
    const answer = await ask({ url, key: account.key, body: promptOf({ maxTokens: 2_000 }) });
    const { details } = readError(answer, "SPEND_CAP_REACHED");
    expect(Object.keys(details)).toEqual(["cap", "spent", "resetsAt", "docs"]);
    expect(amount(answer, "cap")).toBe(900_000n);
    expect(amount(answer, "spent")).toBe(spent);
    const tomorrow = new Date();
    tomorrow.setUTCHours(24, 0, 0, 0);
    expect(details.resetsAt).toBe(tomorrow.toISOString());
    await expectPaid(account);
  });

  test("SPEND_CAP_REACHED: a total cap never resets", async () => {
    const account = await openAccount({ key: { cap: { nanoUsd: fromCents(0), period: "total" } } });
    const { details } = readError(await ask({ url, key: account.key, body: promptOf() }), "SPEND_CAP_REACHED");
    expect(details).toMatchObject({ cap: 0, spent: 0, resetsAt: null });
    await expectUncharged(account);
  });

  test("PAYMENT_VERIFICATION_FAILED: where no payments are settled, a payment is refused with how to pay instead", async () => {
    const account = await openAccount();
    const payment = { from: `0x${"1".repeat(40)}`, amount: 100, signature: "0x12", timestamp: 1, requestId: "req_1", network: "ethereum" };
    const { details, error } = readError(await ask({ url, key: account.key, body: promptOf({ payment }) }), "PAYMENT_VERIFICATION_FAILED");
    expect([details.reason, error]).toEqual(["network_unsupported", expect.stringContaining("the API key's balance")]);
    await expectUncharged(account);
  });

  test("maxCost below the ceiling refuses before any work", async () => {
    const account = await openAccount();
    await service.models.clear();
    const { details } = readError(await ask({ url, key: account.key, body: promptOf({ maxCost: 0.000001 }) }), "INVALID_REQUEST");
    expect(details).toMatchObject({ reason: "max_cost_exceeded", issues: [{ path: "maxCost" }] });
    expect((await service.models.calls()).count).toBe(0);
    await expectUncharged(account);
  });

  test.each([
    "/api/v1/nothing",
    "/api/v1/constructor",
    "/api/v1/__proto__",
    "/api/v1/prompt/",
    "/api/v1/prompt/more",
    "/api/nothing",
    "/api/v1",
    "/api/v2/prompt",
  ])("NOT_FOUND: %s, with and without a key, by any method", async (path) => {
    const { key } = await openAccount();
    for (const method of ["GET", "POST", "DELETE", "PATCH"]) {
      const { details } = readError(await ask({ url, key, path, method }), "NOT_FOUND");
      expect(Object.keys(details)).toEqual(["docs"]);
    }
    readError(await ask({ url, path, method: "PUT", body: "not JSON" }), "NOT_FOUND");
  });

  test.each([
    ["GET", "/api/v1/prompt", "POST"],
    ["PUT", "/api/v1/prompt", "POST"],
    ["OPTIONS", "/api/v1/prompt", "POST"],
    ["POST", "/api/v1/models", "GET"],
    ["DELETE", "/api/v1/balance", "GET"],
  ])("METHOD_NOT_ALLOWED: %s %s, and Allow says %s", async (method, path, allow) => {
    const answer = await ask({ url, path, method });
    readError(answer, "METHOD_NOT_ALLOWED");
    expect(answer.headers.get("allow")).toBe(allow);
  });

  test.each(["gpt4o", "GPT-4O", "openai/gpt4o", "gpt_4o", "gpt-4.o"])("INVALID_MODEL: %s is asked back as gpt-4o", async (model) => {
    const { key } = await openAccount();
    const { error } = readError(await ask({ url, key, body: { model, prompt: "Why?" } }), "INVALID_MODEL");
    expect(error).toContain("Did you mean gpt-4o? ");
    expect((await ask({ url, path: `/api/v1/models/${model.split("/").at(-1)}`, method: "GET" })).text).toContain("Did you mean gpt-4o");
  });

  test("HEAD is refused with the same status and no body", async () => {
    expect(await ask({ url, path: "/api/v1/prompt", method: "HEAD" })).toMatchObject({ status: 405, text: "" });
  });
});
