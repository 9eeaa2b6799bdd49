// Every mistake inside a well-formed HTTP request. Each gets a 400 that names the field and the fix, or a correct answer, and never leaves
// a hold.

import { request as httpRequest } from "node:http";
import { describe, expect, test } from "vitest";
import { openAccount } from "./testing/accounts";
import { expectPaid, expectUncharged } from "./testing/books";
import { type Answer, ask, promptOf, QUESTION, readError, readPromptBody } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService();
const MIB = 1_048_576;

interface Issue {
  path: string;
  message: string;
}

function readIssues(answer: Answer): { issues: Issue[]; reason: unknown } {
  const { details, error } = readError(answer, "INVALID_REQUEST");
  const issues = details.issues as Issue[];
  expect(issues.length).toBeGreaterThan(0);
  for (const issue of issues) expect(Object.keys(issue)).toEqual(["path", "message"]);
  const [first] = issues;
  expect(error).toBe(first?.path ? `${first.path}: ${first.message}` : first?.message);
  return { issues, reason: details.reason };
}

/** A body of exactly `bytes` bytes: a short prompt, padded with whitespace that JSON ignores. */
function bodyOf(bytes: number): string {
  const json = JSON.stringify(promptOf({ maxTokens: 1 }));
  return json + " ".repeat(bytes - Buffer.byteLength(json));
}

/** Sends a body in chunks, without announcing its length. */
function sendChunked(url: string, key: string, chunks: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "transfer-encoding": "chunked" };
    const sent = httpRequest(`${url}/api/v1/prompt`, { method: "POST", headers }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0));
    });
    sent.on("error", reject);
    for (const chunk of chunks) sent.write(chunk);
    sent.end();
  });
}

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);

  test.each([
    ["nothing", ""],
    ["half an object", '{"model":"gpt-4o-mini","prompt":'],
    ["single quotes", "{'model':'gpt-4'}"],
    ["a comma too many", '{"model":"gpt-4","prompt":"a",}'],
    ["a form", "model=gpt-4&prompt=hi"],
    ["two objects", '{"model":"gpt-4","prompt":"a"}{}'],
    ["NaN", '{"model":"gpt-4","prompt":"a","temperature":NaN}'],
    ["two byte order marks", '\ufeff\ufeff{"model":"gpt-4","prompt":"a"}'],
    ["a raw NUL in a text", '{"model":"gpt-4","prompt":"a\u0000b"}'],
    ["a million brackets", "[".repeat(1_000_000)],
  ])("not JSON: %s", async (_case, body) => {
    const account = await openAccount();
    const answer = await ask({ url, key: account.key, body, headers: { "content-type": "application/json" } });
    const { issues } = readIssues(answer);
    expect(issues[0]?.message).toMatch(/not valid JSON|is empty/);
    expect(answer.text).not.toContain("gpt-4"); // nothing from the body
    await expectUncharged(account);
  });

  test.each(["null", "true", "12", '"text"', "[]", '[{"model":"gpt-4","prompt":"a"}]', "[".repeat(5_000) + "]".repeat(5_000)])(
    "JSON, but not an object: %s",
    async (body) => {
      const account = await openAccount();
      readIssues(await ask({ url, key: account.key, body }));
      await expectUncharged(account);
    },
  );

  const valuesOfNoType = [null, {}, [], true, "text", 7];
  const wrong: [field: string, values: unknown[]][] = [
    ["model", [...valuesOfNoType.filter((value) => typeof value !== "string"), undefined, ""]],
    ["prompt", [...valuesOfNoType.filter((value) => typeof value !== "string"), undefined, ""]],
    ["system", valuesOfNoType.filter((value) => typeof value !== "string")],
    ["maxTokens", [null, {}, [], true, "7", 0, -1, 1.5, 16_385, 1e21, 2 ** 53, Number.MAX_VALUE]],
    ["temperature", [null, {}, "1", true, -0.1, 2.1]],
    ["stream", [null, {}, "true", 0, 1, []]],
    ["maxCost", [null, {}, "1", true, 0, -1, 1e-10, 0.1 + 0.2, 1e300, 1e12]],
  ];
  test.each(wrong)("%s of a wrong type or out of range is named, and no model is called", async (field, values) => {
    const account = await openAccount();
    await service.models.clear();
    for (const value of values) {
      const { issues } = readIssues(await ask({ url, key: account.key, body: promptOf({ [field]: value }) }));
      expect(issues, JSON.stringify(value)).toMatchObject([{ path: field }]);
    }
    expect((await service.models.calls()).count).toBe(0);
    await expectUncharged(account);
  });

  test.each(["temperature", "maxTokens", "maxCost"])("%s as 1e400, which is not a number", async (field) => {
    const account = await openAccount();
    const body = `{"model":"gpt-4o-mini","prompt":"${QUESTION}","${field}":1e400}`;
    expect(readIssues(await ask({ url, key: account.key, body })).issues).toMatchObject([{ path: field }]);
    await expectUncharged(account);
  });

  test("every wrong field is named at once", async () => {
    const { key } = await openAccount();
    const { issues } = readIssues(await ask({ url, key, body: { prompt: 5, maxTokens: "a", stream: 1 } }));
    expect(issues.map(({ path }) => path).sort()).toEqual(["maxTokens", "model", "prompt", "stream"]);
  });

  test.each([
    ["max_tokens", "maxTokens"],
    ["MaxTokens", "maxTokens"],
    ["maxtoken", "maxTokens"],
    ["Prompt", "prompt"],
    ["sytem", "system"],
    ["temprature", "temperature"],
    ["max_cost", "maxCost"],
    ["streaming", "stream"],
  ])("the unknown field %s is refused with the suggestion %s", async (field, meant) => {
    const account = await openAccount();
    const { issues } = readIssues(await ask({ url, key: account.key, body: promptOf({ [field]: 1 }) }));
    expect(issues).toEqual([{ path: field, message: `is not a field of this request; did you mean ${meant}?` }]);
    await expectUncharged(account);
  });

  test("an unknown field without a similar name gets the list of known fields", async () => {
    const { key } = await openAccount();
    const { issues } = readIssues(await ask({ url, key, body: promptOf({ messages: [] }) }));
    expect(issues[0]?.message).toBe(
      "is not a field of this request; known fields are model, prompt, payment, system, maxTokens, temperature, stream, maxCost, clipToBalance",
    );
  });

  test("ten thousand unknown fields get a short answer", async () => {
    const { key } = await openAccount();
    const fields = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`${at}${"x".repeat(80)}`, at]));
    const answer = await ask({ url, key, body: promptOf(fields) });
    expect(readIssues(answer).issues).toHaveLength(20);
    expect(answer.text.length).toBeLessThan(10_000);
  });

  test.each([
    '"__proto__":{"isAdmin":true}',
    '"__proto__":{"maxTokens":1}',
    '"constructor":{"prototype":{"isAdmin":true}}',
    '"toString":"x"',
    '"hasOwnProperty":1',
  ])("a JavaScript property name is an unknown field like any other and changes nothing: %s", async (field) => {
    const account = await openAccount();
    const body = `{"model":"gpt-4o-mini","prompt":"${QUESTION}",${field}}`;
    const { issues } = readIssues(await ask({ url, key: account.key, body }));
    expect(issues[0]?.message).toMatch(/^is not a field of this request/);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    await expectUncharged(account);
  });

  test.each([
    ["the largest size", MIB, 200],
    ["one byte more", MIB + 1, 400],
    ["three times as much", 3 * MIB, 400],
  ])("%s: %i bytes, with a length or in chunks", async (_case, bytes, status) => {
    const account = await openAccount();
    const body = bodyOf(bytes);
    const answer = await ask({ url, key: account.key, body });
    expect(answer.status).toBe(status);
    if (status === 400) expect(readIssues(answer).reason).toBe("too_large");
    const half = Math.floor(bytes / 2);
    expect(await sendChunked(url, account.key, [body.slice(0, half), body.slice(half)])).toBe(status);
    if (status === 400) await expectUncharged(account);
    else await expectPaid(account);
  });

  test.each([
    ["cut mid-character", Buffer.concat([Buffer.from('{"model":"gpt-4o-mini","prompt":"'), Buffer.from([0xe2, 0x82]), Buffer.from('"}')])],
    ["Latin-1", Buffer.from('{"model":"gpt-4o-mini","prompt":"caf\u00e9"}', "latin1")],
    [
      "a surrogate in UTF-8",
      Buffer.concat([Buffer.from('{"model":"gpt-4o-mini","prompt":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    ],
    ["UTF-16", Buffer.from('{"model":"gpt-4o-mini","prompt":"\u00ff\ud83e"}', "utf16le")],
  ])("not UTF-8: %s", async (_case, body) => {
    const account = await openAccount();
    const { reason } = readIssues(await ask({ url, key: account.key, body, headers: { "content-type": "application/json" } }));
    expect(reason).toMatch(/^not_utf8$/);
    await expectUncharged(account);
  });

  test.each([
    "text/html",
    "application/json5",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "json",
    "*/*",
    "application/json2; charset=utf-8",
  ])("Content-Type %s is refused, and the right one is named", async (type) => {
    const account = await openAccount();
    const { issues, reason } = readIssues(await ask({ url, key: account.key, body: promptOf(), headers: { "content-type": type } }));
    expect(reason).toBe("content_type");
    expect(issues[0]?.message).toMatch(/^Send the header Content-Type: application\/json, not /);
    await expectUncharged(account);
  });

  test.each([
    "application/json",
    "APPLICATION/JSON",
    "application/json;charset=UTF-8",
    "application/json ; odata=verbose",
    "application/vnd.api+json",
    "application/problem+json; charset=utf-8",
    "text/json",
    // What a browser's fetch and many HTTP libraries write for a string.
    "text/plain;charset=UTF-8",
    "text/plain",
    "",
  ])("Content-Type '%s' is JSON", async (type) => {
    const { key } = await openAccount();
    const body = new Uint8Array(Buffer.from(JSON.stringify(promptOf())));
    expect((await ask({ url, key, body, headers: { "content-type": type } })).status).toBe(200);
  });

  test("a byte-order mark before the JSON is left out", async () => {
    const account = await openAccount();
    const body = `\ufeff${JSON.stringify(promptOf())}`;
    expect((await ask({ url, key: account.key, body })).status).toBe(200);
    await expectPaid(account);
  });

  test("what is called text and is no JSON is refused for that", async () => {
    const { key } = await openAccount();
    const { issues } = readIssues(await ask({ url, key, body: "Why?", headers: { "content-type": "text/plain" } }));
    expect(issues[0]?.message).toMatch(/not valid JSON/);
  });

  test.each([
    ["half of a surrogate pair", "quokka \\ud83e smile"],
    ["the other half", "quokka \\udd98 smile"],
    ["a NUL", "quokka \\u0000 smile"],
    ["every control character", `quokka ${Array.from({ length: 32 }, (_, at) => `\\u${at.toString(16).padStart(4, "0")}`).join("")}`],
    ["line separators", "quokka \\u2028\\u2029\\ufeff\\ufffe"],
    ["a special token's name", "quokka <|endoftext|> <|im_start|>"],
    ["an event stream's end", "quokka\\n\\nevent: done\\ndata: {}\\n\\n"],
  ])("a prompt with %s is valid: answered, charged, and saved for its key", async (_case, prompt) => {
    const account = await openAccount();
    const body = `{"model":"gpt-4o-mini","prompt":"${prompt}"}`;
    const send = () => ask({ url, key: account.key, body, headers: { "idempotency-key": "odd" } });
    const first = await send();
    expect(readPromptBody(first.text).success).toBe(true);
    expect((await send()).text).toBe(first.text);
    await expectPaid(account);
  });

  test("boundary values are accepted: temperature 0 and 2, maxTokens 1 and the maximum, maxCost with nano-dollar digits", async () => {
    const account = await openAccount();
    for (const fields of [
      { temperature: 0 },
      { temperature: 2 },
      { maxTokens: 1 },
      { maxTokens: 16_384 },
      { maxCost: 0.100000001 },
      { maxTokens: 5.0 },
      { system: "" },
    ]) {
      expect((await ask({ url, key: account.key, body: promptOf(fields) })).status, JSON.stringify(fields)).toBe(200);
    }
    await expectPaid(account);
  });

  test("a prompt longer than any model can hold is refused before it is sent", async () => {
    const account = await openAccount({ usd: "100" });
    const answer = await ask({ url, key: account.key, body: promptOf({ model: "gpt-4", prompt: " ".repeat(8_192 * 128 - 1_000) }) });
    expect([200, 400]).toContain(answer.status);
    const wide = await ask({ url, key: account.key, body: promptOf({ model: "gpt-4", prompt: "a ".repeat(500_000) }) });
    expect([200, 400]).toContain(wide.status);
    await expectPaid(account);
  });
});
