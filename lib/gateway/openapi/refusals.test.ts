// The running service's refusals against its document: every error has exactly the described fields and headers, and every path accepts
// exactly the described methods.

import { afterEach, describe, expect, test } from "vitest";
import { parseUsd } from "@/lib/base/money";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { openAccount } from "../contract/testing/accounts";
import { openHolds, until } from "../contract/testing/books";
import { ask, misbehaving, promptOf, QUESTION } from "../contract/testing/client";
import { openService } from "../contract/testing/service";
import { refuseNewRequests } from "../http/endpoint";
import { openApiDocument } from "./document";
import { expectFields, expectRefusal, operationOf } from "./testing/described";

const service = await openService();
const url = service.url("node");

afterEach(() => forgetSingleton("gateway drain"));

const chatOf = (fields: object = {}) => ({ model: "gpt-4o-mini", messages: [{ role: "user", content: QUESTION }], ...fields });
const chatPath = "/api/v1/chat/completions";

test("each bound of the usage query is the documented one", async () => {
  const { key } = await openAccount();
  const status = async (query: string) => (await ask({ url, key, path: `/api/v1/usage?${query}`, method: "GET" })).status;
  const right = ["from=2026-01-01", "from=2026-01-01T00:00:00Z&to=2026-01-02", "groupBy=day,model,key", "limit=1", "limit=1000"];
  const wrong = [
    "from=yesterday",
    "to=1",
    "groupBy=hour",
    "groupBy=day,day",
    "limit=0",
    "limit=1001",
    "cursor=x",
    "from=2025-01-01&to=2026-01-03",
  ];
  // A time range of 366 days ends at `to`.
  expect(await Promise.all(right.map((query) => status(`${query}${query.includes("to=") ? "" : "&to=2026-01-02"}`)))).toEqual(
    right.map(() => 200),
  );
  expect(await Promise.all(wrong.map(status))).toEqual(wrong.map(() => 400));
  const unknown = await ask({ url, key, path: "/api/v1/usage?page=2", method: "GET" });
  const known = operationOf("getUsage")
    .parameters?.map(({ name }) => name)
    .join(", ");
  expect(unknown.text).toContain(`known fields are ${known}`);
});

describe("refusals", () => {
  test("a request repeated while it runs is refused as described", async () => {
    const { key, accountId } = await openAccount();
    const slow = ask({ url, key, headers: { "idempotency-key": "slow" }, body: misbehaving("delay=300") });
    await until("it is held", async () => (await openHolds(accountId)) === 1);
    const again = await ask({ url, key, headers: { "idempotency-key": "slow" }, body: misbehaving("delay=300") });
    expectRefusal("createPrompt", again, "REQUEST_IN_PROGRESS");
    await slow;
  });

  test("of an invalid request, in our own format", async () => {
    const { key } = await openAccount();
    expectRefusal("createPrompt", await ask({ url, key, body: promptOf({ max_tokens: 5 }) }), "INVALID_REQUEST");
    expectRefusal("createPrompt", await ask({ url, key, body: "{", headers: { "content-type": "application/json" } }), "INVALID_REQUEST");
    expectRefusal("createPrompt", await ask({ url, key, body: promptOf({ model: "no-such" }) }), "INVALID_MODEL");
    expectRefusal("createPrompt", await ask({ url, body: promptOf() }), "INVALID_API_KEY");
    expectRefusal("createPrompt", await ask({ url, key, body: promptOf({ payment: {} }) }), "PAYMENT_VERIFICATION_FAILED");
    expectRefusal("quotePrompt", await ask({ url, key, path: "/api/v1/quote", body: promptOf({ model: "no-such" }) }), "INVALID_MODEL");
    expectRefusal("getBalance", await ask({ url, path: "/api/v1/balance", method: "GET" }), "INVALID_API_KEY");
    expectRefusal("getUsage", await ask({ url, key, path: "/api/v1/usage?limit=0", method: "GET" }), "INVALID_REQUEST");
    expectRefusal("listDeposits", await ask({ url, key, path: "/api/v1/deposits?limit=0", method: "GET" }), "INVALID_REQUEST");
    expectRefusal("getReceipt", await ask({ url, key, path: "/api/v1/requests/req_1", method: "GET" }), "NOT_FOUND");
  });

  test("of a chat completion, in OpenAI's format", async () => {
    const { key } = await openAccount();
    const chat = (body: object, as = key) => ask({ url, key: as, path: chatPath, body });
    expectRefusal("createChatCompletion", await chat(chatOf({ n: 2 })), "INVALID_REQUEST", "ChatError");
    expectRefusal("createChatCompletion", await chat(chatOf({ model: "no-such" })), "INVALID_MODEL", "ChatError");
    expectRefusal("createChatCompletion", await chat(chatOf(), "pp_short"), "INVALID_API_KEY", "ChatError");
  });

  test("for lack of money", async () => {
    const poor = await openAccount({ usd: "0.000000001" });
    expectRefusal("createPrompt", await ask({ url, key: poor.key, body: promptOf() }), "INSUFFICIENT_BALANCE");
    expectRefusal(
      "createChatCompletion",
      await ask({ url, key: poor.key, path: chatPath, body: chatOf() }),
      "INSUFFICIENT_BALANCE",
      "ChatError",
    );
    for (const period of ["day", "total"] as const) {
      const capped = await openAccount({ key: { cap: { nanoUsd: parseUsd("0.000000001"), period } } });
      expectRefusal("createPrompt", await ask({ url, key: capped.key, body: promptOf() }), "SPEND_CAP_REACHED");
    }
  });

  test("of the limits, of a failing provider, and of a process that shuts down", async () => {
    const { key } = await openAccount({ limits: { ratePerMinute: 1, concurrency: 1 } });
    await ask({ url, key, path: "/api/v1/balance", method: "GET" });
    expectRefusal("getBalance", await ask({ url, key, path: "/api/v1/balance", method: "GET" }), "RATE_LIMIT_EXCEEDED");
    const other = await openAccount();
    expectRefusal("createPrompt", await ask({ url, key: other.key, body: misbehaving("status=500") }), "INTERNAL_ERROR");
    refuseNewRequests();
    expectRefusal("listModels", await ask({ url, path: "/api/v1/models", method: "GET" }), "SHUTTING_DOWN");
  });

  test("of a path that accepts another method: the document names all that it accepts", async () => {
    for (const [path, methods] of Object.entries(openApiDocument().paths)) {
      const answer = await ask({ url, path: path.replace(/\{\w+\}/, "req_1"), method: "DELETE" });
      expect({ path, status: answer.status }).toEqual({ path, status: 405 });
      const dialect = /\/(?:chat|responses|embeddings)/.test(path) ? "ChatError" : /\/messages/.test(path) ? "MessagesError" : undefined;
      expectFields(dialect ?? "MethodNotAllowed", JSON.parse(answer.text));
      const described = Object.keys(methods).map((method) => method.toUpperCase());
      expect(answer.headers.get("allow")).toBe(described.join(", "));
    }
    const nowhere = await ask({ url, path: "/api/v1/nowhere", method: "GET" });
    expectFields("NotFound", JSON.parse(nowhere.text));
  });
});
