import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { VendorId } from "@/lib/providers/model-route";
import { startTestModels, type TestModels } from "./testing";

let models: TestModels;
beforeAll(async () => {
  models = await startTestModels();
});
afterEach(() => models.clear());
afterAll(() => models?.stop());

const everyone: readonly VendorId[] = ["openai", "anthropic", "gemini", "xai", "deepseek"];
const names: Record<VendorId, string> = {
  openai: "gpt-4",
  anthropic: "claude-sonnet-4-5",
  gemini: "gemini-2.5-flash",
  xai: "grok-4-fast",
  deepseek: "deepseek-chat",
};

interface Ask {
  provider?: VendorId;
  stream?: boolean;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

function toRequest(prompt: string, { provider = "openai", stream = false }: Ask) {
  const messages = [{ role: "user", content: prompt }];
  const model = names[provider];
  if (provider === "anthropic")
    return {
      path: "/v1/messages",
      headers: { "x-api-key": models.apiKey, "anthropic-version": "2023-06-01" },
      body: { model, messages, stream, max_tokens: 4096 },
    };
  if (provider === "gemini") {
    const path = `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`;
    return { path, headers: { "x-goog-api-key": models.apiKey }, body: { contents: [{ role: "user", parts: [{ text: prompt }] }] } };
  }
  return {
    path: "/chat/completions",
    headers: { authorization: `Bearer ${models.apiKey}` },
    body: { model, messages, stream, ...(stream && { stream_options: { include_usage: true } }) },
  };
}

/** Sends a prompt and resolves with the response's head; the body is still unread. */
async function open(prompt: string, options: Ask = {}): Promise<IncomingMessage> {
  const { path, headers, body } = toRequest(prompt, options);
  const request = httpRequest(models.baseUrls[options.provider ?? "openai"] + path, {
    method: "POST",
    headers: { ...headers, ...options.headers },
    signal: options.signal,
  });
  request.end(JSON.stringify(body));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return response;
}

/** The whole response; `broken` when the connection ended early. */
async function ask(prompt: string, options: Ask = {}) {
  const response = await open(prompt, options);
  let text = "";
  let broken = false;
  response.setEncoding("utf8");
  try {
    for await (const chunk of response) text += chunk;
  } catch {
    broken = true;
  }
  return { status: response.statusCode, headers: response.headers, text, broken };
}

/** The text received up to and including `mark`. */
function readUntil(response: IncomingMessage, mark: string): Promise<string> {
  let text = "";
  return new Promise((resolve) => {
    response.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.includes(mark)) resolve(text);
    });
  });
}

/** A one-token word that encodes the number. */
const wordFor = (number: number) => `own${[...String(number + 100)].map((digit) => "abcdefghij"[Number(digit)]).join("")}`;

describe.each(everyone)("%s", (provider) => {
  test("`status` returns the vendor's own error body, for JSON and stream", async () => {
    for (const stream of [false, true]) {
      const { status, text, headers } = await ask("x [[simulate: status=500]]", { provider, stream });
      expect(status).toBe(500);
      expect(JSON.parse(text)).toHaveProperty("error");
      expect(headers["retry-after"]).toBeUndefined();
    }
    const limited = await ask("x [[simulate: status=429 retry-after=2]]", { provider });
    expect(limited).toMatchObject({ status: 429, headers: { "retry-after": "2" } });
  });

  test("`close-midway` breaks off after a part of the text", async () => {
    const whole = await ask("x [[simulate: tokens=20]]", { provider, stream: true });
    const cut = await ask("x [[simulate: tokens=20 close-midway]]", { provider, stream: true });
    expect(whole.broken).toBe(false);
    expect(cut).toMatchObject({ status: 200, broken: true });
    expect(cut.text).toContain("Simu");
    expect(cut.text.length).toBeLessThan(whole.text.length);
    expect(await ask("x [[simulate: close-midway]]", { provider })).toMatchObject({ status: 200, broken: true });
    await models.awaitCall((call) => call.state === "cut_by_server" && call.stream && call.deltasSent === 10);
  });

  test("an error inside a 200 has the vendor's format", async () => {
    const stream = await ask("x [[simulate: error-midway]]", { provider, stream: true });
    expect(stream).toMatchObject({ status: 200, broken: false });
    const last = stream.text
      .trim()
      .split(/\r?\n/)
      .findLast((line) => line.startsWith("data: "))
      ?.slice(6);
    expect(JSON.parse(last ?? "")).toHaveProperty("error");
    expect(JSON.parse((await ask("x [[simulate: error-midway]]", { provider })).text)).toHaveProperty("error");
  });

  test("`rubbish` returns HTML", async () => {
    for (const stream of [false, true]) {
      expect(await ask("x [[simulate: rubbish]]", { provider, stream })).toMatchObject({
        status: 200,
        text: expect.stringMatching(/^<html>/),
      });
    }
    expect((await ask("x [[simulate: rubbish-midway]]", { provider, stream: true })).text).toMatch(/Simu.*data: <html>/s);
  });

  test("usage can be absent, absurd or negative", async () => {
    for (const stream of [false, true]) {
      const options = { provider, stream };
      expect((await ask("x [[simulate: no-usage]]", options)).text).not.toMatch(/"usage":\{|"usageMetadata"/);
      expect((await ask("x [[simulate: usage=in:5,out:999999999]]", options)).text).toContain("999999999");
      expect((await ask('x [[simulate: usage-negative text="abcd"]]', options)).text).toMatch(
        /(output_tokens|completion_tokens|candidatesTokenCount)": ?-1\b/,
      );
    }
  });

  test("a stalled answer stays silent until the client disconnects, and the log records the abort", async () => {
    const leave = new AbortController();
    const response = await open(`${provider} [[simulate: stall-after=3]]`, { provider, stream: true, signal: leave.signal });
    response.on("error", () => {});
    await readUntil(response, '" from"');
    const running = await models.awaitCall((call) => call.question.startsWith(provider));
    expect(running).toMatchObject({ state: "running", deltasSent: 3, provider, stream: true });
    leave.abort();
    await models.awaitCall((call) => call.state === "aborted_by_client" && call.deltasSent === 3);
  });
});

test("a hanging call sends nothing, and ends when its client does", async () => {
  const leave = new AbortController();
  const answer = open("hang on [[simulate: hang]]", { signal: leave.signal });
  await models.awaitCall((call) => call.state === "running" && call.question.startsWith("hang on"));
  leave.abort();
  await expect(answer).rejects.toThrow("aborted");
  expect(await models.awaitCall((call) => call.state === "aborted_by_client")).toMatchObject({ status: null, bytesSent: 0 });
});

test("a delayed call answers after its delay, while others answer immediately", async () => {
  const slow = ask("x [[simulate: delay=300]]");
  await models.awaitCall((call) => call.state === "running");
  await ask("quick");
  const { calls } = await models.calls();
  expect(calls.map(({ state }) => state)).toEqual(["running", "finished"]);
  expect((await slow).status).toBe(200);
});

test("keep-alive lines precede the answer, as DeepSeek sends them", async () => {
  const stream = await ask("x [[simulate: delay=60 keep-alive=20]]", { provider: "deepseek", stream: true });
  expect(stream.text).toMatch(/^(: keep-alive\n\n){3}data: \{/);
  const json = await ask("x [[simulate: delay=60 keep-alive=20]]", { provider: "deepseek" });
  expect(json.text).toMatch(/^\n\n\n\{/);
  expect(JSON.parse(json.text)).toHaveProperty("choices");
});

test("an invalid directive is explained in the answer", async () => {
  expect((await ask("x [[simulate: staus=500]]")).text).toContain(
    "a directive in the prompt was not understood. `staus=500` is not one of status",
  );
});

test("the control endpoint sets a behaviour too; a rule applies to its vendor, as often as it says", async () => {
  await models.simulate("status=503", { times: 2, provider: "gemini", promptIncludes: "unlucky" });
  const statuses: (number | undefined)[] = [];
  for (const [prompt, provider] of [
    ["lucky", "gemini"],
    ["unlucky", "openai"],
    ["unlucky", "gemini"],
    ["unlucky", "gemini"],
    ["unlucky", "gemini"],
  ] as const) {
    statuses.push((await ask(prompt === "lucky" ? "fine" : prompt, { provider })).status);
  }
  expect(statuses).toEqual([200, 200, 503, 503, 200]);
  await expect(models.simulate("staus=1")).rejects.toThrow("400");
});

test("a hundred concurrent calls with different behaviours never get each other's", async () => {
  const answers = await Promise.all(
    Array.from({ length: 100 }, async (_, number) => {
      const provider = everyone[number % everyone.length];
      const stream = number % 2 === 0;
      if (number % 3 === 0)
        return (await ask(`x [[simulate: delay=${number} status=${400 + number}]]`, { provider, stream })).status === 400 + number;
      const { text } = await ask(`x [[simulate: delay=${100 - number} slow=1 text="${wordFor(number)}"]]`, { provider, stream });
      return text.includes(wordFor(number));
    }),
  );
  expect(answers).not.toContain(false);
  expect(await models.calls()).toMatchObject({ count: 100, calls: { length: 100 } });
});
