// What Try it sends, and what it shows: the key in its header only, the body bounded, the charge digit by digit.

import { afterEach, expect, test, vi } from "vitest";
import { problemsOf, sendRequest, urlOf } from "./send-request";
import type { TryItForm } from "./try-it-form";

const prompt: TryItForm = { method: "POST", path: "/api/v1/prompt", needsKey: true, isCharged: true, body: "{}", fields: [] };
const usage: TryItForm = {
  method: "GET",
  path: "/api/v1/requests/{requestId}",
  needsKey: true,
  isCharged: false,
  body: null,
  fields: [
    { name: "requestId", place: "path", isRequired: true, value: "" },
    { name: "limit", place: "query", isRequired: false, value: "" },
  ],
};
const filled = { key: "pp_secret", body: '{"model":"a"}', fields: {} };
const answerWith = (body: string, init: ResponseInit = {}) => {
  const sent = vi.fn(async (_url: string, _init: RequestInit) => new Response(body, init));
  vi.stubGlobal("fetch", sent);
  return sent;
};
const send = (form: TryItForm = prompt) => sendRequest(form, filled, new AbortController().signal);
afterEach(() => vi.unstubAllGlobals());

test("fields go into the path and the query, encoded, and empty ones are left out", () => {
  expect(urlOf(usage, { requestId: "req_1 ?", limit: " " })).toBe("/api/v1/requests/req_1%20%3F");
  expect(urlOf(usage, { requestId: "a", limit: "5&x=1" })).toBe("/api/v1/requests/a?limit=5%26x%3D1");
  expect(urlOf({ ...usage, path: "/models/{requestId}" }, { requestId: "google/gemini" })).toBe("/models/google/gemini");
});

test("what is missing or wrong is named by its field, before anything is sent", () => {
  expect(Object.keys(problemsOf(usage, { key: "sk-1", body: "", fields: {} }))).toEqual(["key", "requestId"]);
  expect(Object.keys(problemsOf(prompt, { ...filled, body: '{"a":' }))).toEqual(["body"]);
  expect(problemsOf(prompt, filled)).toEqual({});
});

test("the key is in the header and nowhere else, and no cookie goes along", async () => {
  const sent = answerWith("{}");
  await send();
  const [[url = "", init = {}] = []] = sent.mock.calls;
  expect(init.headers).toEqual({ authorization: "Bearer pp_secret", "content-type": "application/json" });
  expect(JSON.stringify([url, { ...init, headers: {} }])).not.toContain("pp_secret");
  expect(init.credentials).toBe("omit");
});

test("the charge is shown as it was written, in our form, in a usage, and at the end of a stream", async () => {
  answerWith('{"cost":{"inputCost":0.000000001,"totalCost":0.000000002}}');
  expect((await send()).charged).toBe("0.000000002");
  answerWith('{"usage":{"cost":0.0000003,"total_tokens":1}}');
  expect((await send()).charged).toBe("0.0000003");
  answerWith(`${"data: x\n".repeat(20_000)}event: done\ndata: {"cost":{"totalCost":0.5}}`);
  expect((await send()).charged).toBe("0.5");
  answerWith('{"rows":[{"cost":{"totalCost":0.5}}]}');
  expect((await send(usage)).charged).toBeNull();
});

test("a long body is cut to its beginning, JSON is indented, and a number keeps its digits", async () => {
  answerWith("x".repeat(200_000));
  const long = await send();
  expect([long.isCut, long.body.length]).toEqual([true, 65_536]);
  answerWith('{"a":[1]}', { status: 402, headers: { "x-request-id": "req_1", "x-other": "1" } });
  expect(await send()).toMatchObject({
    status: 402,
    body: '{\n  "a": [\n    1\n  ]\n}',
    headers: [
      ["Content-Type", "text/plain;charset=UTF-8"],
      ["X-Request-Id", "req_1"],
    ],
  });
  answerWith('{"cost":0.0000000010}');
  expect((await send()).body).toBe('{\n  "cost": 0.0000000010\n}');
});
