// What a request in a vendor's dialect says of itself, in the row of its charge; and that no provider hears of it.

import { connect } from "node:net";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { pool } from "@/lib/db/pool";
import { endpoints, setEndpoints } from "@/lib/providers/endpoints";
import { openAccount, type TestAccount } from "./testing/accounts";
import { ask, promptOf, QUESTION } from "./testing/client";
import { recordRequests } from "./testing/recorder";
import { entryNames, openService } from "./testing/service";

const service = await openService();
const openai = await recordRequests(endpoints(), "openai");
const restore = setEndpoints(openai.endpoints);

beforeEach(() => {
  openai.requests.length = 0;
});
afterAll(async () => {
  restore();
  await openai.stop();
});

const messages = [{ role: "user", content: QUESTION }];
const chat = { path: "/api/v1/chat/completions", body: { model: "gpt-4o-mini", messages } };
const responses = { path: "/api/v1/responses", body: { model: "gpt-4o-mini", input: QUESTION } };
const embeddings = { path: "/api/v1/embeddings", body: { model: "text-embedding-3-small", input: QUESTION } };
const anthropic = { path: "/api/v1/messages", body: { model: "gpt-4o-mini", max_tokens: 64, messages } };
const native = { path: "/api/v1/prompt", body: promptOf() };

interface Form {
  path: string;
  body: object;
}
interface Given {
  headers?: Record<string, string>;
  fields?: object;
}

async function saidOf({ accountId }: TestAccount): Promise<unknown[]> {
  const { rows } = await pool().query('SELECT tag, end_user AS "endUser" FROM charge WHERE account_id = $1 ORDER BY seq', [accountId]);
  return rows;
}

/** Sends the request, and reads what its charge keeps. */
async function keptOf({ path, body }: Form, { headers = {}, fields = {} }: Given, entry: (typeof entryNames)[number] = "node") {
  const account = await openAccount();
  const answer = await ask({ url: service.url(entry), key: account.key, path, headers, body: { ...body, ...fields } });
  expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, expect.any(String)]);
  const [kept, ...others] = await saidOf(account);
  expect(others).toEqual([]);
  return kept;
}

describe.each([
  ["chat completions", chat],
  ["responses", responses],
  ["embeddings", embeddings],
])("%s", (_name, form) => {
  test.each<[string, Given, string | null, string | null]>([
    ["says nothing", {}, null, null],
    ["names its user", { fields: { user: " ann\t" } }, null, "ann"],
    ["names its user twice", { fields: { user: "ann", safety_identifier: "hash-of-ann" } }, null, "hash-of-ann"],
    ["names its user once in nothing", { fields: { user: "ann", safety_identifier: " \u0000 " } }, null, "ann"],
    ["has a tag", { fields: { metadata: { tag: "nightly", other: "x" } } }, "nightly", null],
    ["has a title and a tag", { headers: { "X-Title": "My app" }, fields: { metadata: { tag: "nightly" } } }, "My app", null],
    ["has OpenRouter's newer title", { headers: { "X-OpenRouter-Title": "My app" } }, "My app", null],
    ["has both titles", { headers: { "X-OpenRouter-Title": "newer", "X-Title": "older" } }, "older", null],
    ["has a title of nothing", { headers: { "X-Title": "  " }, fields: { metadata: { tag: "nightly" } } }, "nightly", null],
    ["has a title in Latin-1", { headers: { "X-Title": "Caf\u00e9" } }, "Café", null],
    ["has a title in UTF-8", { headers: { "X-Title": Buffer.from("Café 茶").toString("latin1") } }, "Café 茶", null],
  ])("that %s", async (_what, given, tag, endUser) => {
    expect(await keptOf(form, given)).toEqual({ tag, endUser });
  });

  test.each<[string, unknown, string | null]>([
    ["10,000 characters", "x".repeat(10_000), "x".repeat(64)],
    ["an emoji at the cut", `${"x".repeat(63)}😀😀`, `${"x".repeat(63)}😀`],
    ["emoji alone", "😀".repeat(100), "😀".repeat(64)],
    ["white space at the cut", `${"x".repeat(63)}  y`, "x".repeat(63)],
    ["control characters", "\u0000a\u0007n\r\nn\u007f\u0085", "ann"],
    ["nothing but \\u0000", "\u0000\u0000", null],
    ["a lone surrogate", "a\ud83d", "a\ufffd"],
    ["the halves of a character, apart", "\ud83d\u0000\ude00", "\ufffd\ufffd"],
    ["quotes and brackets", `a "b", (c) \\ {d} 'e' NULL`, `a "b", (c) \\ {d} 'e' NULL`],
    ["the word NULL", "NULL", "NULL"],
    ["an empty text", "", null],
  ])("whose user is %s", async (_what, user, endUser) => {
    expect(await keptOf(form, { fields: { user } })).toEqual({ tag: null, endUser });
  });
});

test.each<[string, Form, object]>([
  ["chat: users that are no texts", chat, { user: 5, safety_identifier: { id: "ann" } }],
  ["chat: a user that is an array, metadata that is a text", chat, { user: ["ann"], metadata: "tag" }],
  ["chat: a tag that is an object", chat, { user: null, metadata: { tag: { name: "nightly" } } }],
  ["responses: users that are no texts", responses, { user: {}, safety_identifier: 7, metadata: null }],
  ["embeddings: no user, and metadata that is an array", embeddings, { user: null, metadata: [{ tag: "nightly" }] }],
  ["messages: a user that is a number", anthropic, { metadata: { user_id: 5 } }],
  ["messages: metadata that is a text", anthropic, { metadata: "user_id" }],
])("what no charge can keep is ignored, as before: %s", async (_what, form, fields) => {
  expect(await keptOf(form, { fields })).toEqual({ tag: null, endUser: null });
});

describe.each(entryNames)("through the %s server", (entry) => {
  test("messages: the user of its metadata, and the title", async () => {
    const fields = { metadata: { user_id: `\u0000${"é".repeat(70)}`, tag: "nightly" }, user: "ann" };
    expect(await keptOf(anthropic, { fields }, entry)).toEqual({ tag: null, endUser: "é".repeat(64) });
    expect(await keptOf(anthropic, { headers: { "X-Title": "Caf\u00e9" }, fields }, entry)).toEqual({
      tag: "Café",
      endUser: "é".repeat(64),
    });
  });

  test("a stream, and a long body, which is read in slices", async () => {
    const fields = { stream: true, user: "ann", messages: [{ role: "user", content: `${QUESTION} ${"word ".repeat(20_000)}` }] };
    expect(await keptOf(chat, { headers: { "X-Title": "My app" }, fields }, entry)).toEqual({ tag: "My app", endUser: "ann" });
    const metadata = { user_id: "ann" };
    expect(await keptOf(anthropic, { fields: { metadata, messages: fields.messages } }, entry)).toEqual({ tag: null, endUser: "ann" });
  });
});

test("the specification's own request says nothing of itself", async () => {
  expect(await keptOf(native, { headers: { "X-Title": "My app" } })).toEqual({ tag: null, endUser: null });
});

test("a repeated request gets the first answer, and its charge stays as it is", async () => {
  const account = await openAccount();
  const send = (title: string) =>
    ask({
      url: service.url("node"),
      key: account.key,
      path: chat.path,
      headers: { "idempotency-key": "once", "X-Title": title },
      body: { ...chat.body, user: "ann\u0000" },
    });
  const [first, again] = [await send("one"), await send("other")];
  expect([again.status, again.headers.get("idempotent-replayed"), again.text]).toEqual([200, "true", first.text]);
  expect(await saidOf(account)).toEqual([{ tag: "one", endUser: "ann" }]);
});

test.each([chat, responses, embeddings, anthropic])("a provider of $path gets the same, whatever is said", async ({ path, body }) => {
  const { key } = await openAccount();
  const send = (headers: Record<string, string>, fields: object) =>
    ask({ url: service.url("node"), key, path, headers, body: { ...body, ...fields } });
  await send({}, {});
  await send({ "X-Title": "My app" }, { user: "ann", safety_identifier: "ann", metadata: { tag: "nightly", user_id: "ann" } });
  const [plain, named, ...others] = openai.requests.map(({ path: at, headers, body: sent }) => JSON.stringify([at, headers, sent]));
  expect(others).toEqual([]);
  expect(named).toBe(plain);
});

test("a title of raw bytes that are neither text nor allowed by fetch", async () => {
  const account = await openAccount();
  const { hostname, port } = new URL(service.url("node"));
  const body = JSON.stringify(chat.body);
  const head = [
    `POST ${chat.path} HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Bearer ${account.key}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    "X-Title: \xff\x85a\tb",
  ].join("\r\n");
  const answer = await new Promise<string>((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => socket.write(Buffer.from(`${head}\r\n\r\n${body}`, "latin1")));
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("end", () => resolve(text));
    socket.on("error", reject);
  });
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(await saidOf(account)).toEqual([{ tag: "ÿab", endUser: null }]);
});
