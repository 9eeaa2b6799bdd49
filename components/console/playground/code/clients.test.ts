// "View code", run as pasted: by sh, by Node with the packages of OpenAI and Anthropic, and by Python. Each sends exactly the request that the
// page would send, in the form of its client, and the service answers it.

import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAccount } from "@/lib/gateway/contract/testing/accounts";
import { chargesOf, expectPaid } from "@/lib/gateway/contract/testing/books";
import { openService } from "@/lib/gateway/contract/testing/service";
import { type ChatBody, writeBody } from "../chat/body";
import { addTurn, messagesOf, newConversation, type TurnInput } from "../chat/conversation";
import { newRun } from "../run";
import { anthropicBody, chatBody, promptBody, responsesBody } from "./bodies";
import { type ClientId, clientNames, type Language, languages, writeCode } from "./clients";
import { type Recorder, startRecorder } from "./testing/recorder";

const service = await openService();
const root = fileURLToPath(new URL("../../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "pennyprompt-clients-"));
let recorder: Recorder;
beforeAll(async () => {
  recorder = await startRecorder();
});
afterAll(() => {
  recorder.stop();
  rmSync(folder, { recursive: true, force: true });
});

const nasty = `' " \\ \` $(id) \${x} {0} %s\nJSON\n\u2028🪙é`;
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const message = (text: string, images: { name: string; url: string }[] = []): TurnInput => ({ kind: "message", text, images });

const single = writeBody({ model: "gpt-4o-mini", system: nasty, maxTokens: 32, temperature: 0.25 }, messagesOf(nasty, [], message(nasty)));

/** Two turns, a call with its result, an image, tools, a schema and an effort. */
function fullBody(model: string): ChatBody {
  const terms = { ceiling: null, whenLeft: null, price: { inputPrice: "1", outputPrice: "1" } };
  const answered = { ...newRun(1, { model, prompt: "" }, terms), state: "done", text: nasty } as const;
  const called = { ...answered, id: 2, text: "", toolCalls: [{ id: "call_1", name: "get_weather", arguments: '{"city":"Oslo"}' }] };
  const options = {
    ...{ model, system: nasty, maxTokens: 64 },
    tools: [
      {
        type: "function",
        function: { name: "get_weather", description: nasty, parameters: { type: "object", properties: { city: { type: "string" } } } },
      },
    ],
    schema: {
      name: "answer",
      schema: { type: "object", properties: { answer: { type: "string" } }, required: ["answer"], additionalProperties: false },
    },
  } as const;
  const before = [
    { id: 1, options, input: message(nasty, [{ name: "a.png", url: `data:image/png;base64,${png}` }]), run: answered },
    { id: 2, options, input: message("Weather?"), run: called },
  ].reduce(addTurn, newConversation("c", 0));
  const results: TurnInput = { kind: "results", results: [{ callId: "call_1", name: "get_weather", output: nasty }] };
  return writeBody(options, messagesOf(options.system, before.turns, results));
}

const execute = promisify(execFile);
const python = join(root, "components/console/playground/code/testing/python");

async function run(language: Language, code: string, key: string): Promise<string> {
  const env = {
    ...process.env,
    PENNYPROMPT_KEY: key,
    FORCE_COLOR: "0",
    PYTHONDONTWRITEBYTECODE: "1",
    PYTHONIOENCODING: "utf-8",
    PYTHONPATH: python,
  };
  const command = async (name: string, args: readonly string[]) =>
    (await execute(name, [...args], { cwd: folder, env, encoding: "utf8", timeout: 60_000 })).stdout;
  if (language === "curl") {
    // From a file: a shell's own argument may be no longer than another's.
    writeFileSync(join(folder, "example.sh"), code);
    return command("sh", ["example.sh"]);
  }
  if (language === "Python") return command("python3", ["-c", code]);
  const outfile = join(folder, "example.mjs");
  writeFileSync(join(folder, "example.ts"), code);
  await build({
    entryPoints: [join(folder, "example.ts")],
    ...{ outfile, bundle: true, platform: "node", format: "esm", logLevel: "silent" },
    nodePaths: [join(root, "node_modules")],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return command(process.execPath, [outfile]);
}

const hasPython = (() => {
  try {
    execFileSync("python3", ["-c", "import requests"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

const paths: Record<ClientId, string> = {
  prompt: "/api/v1/prompt",
  chat: "/api/v1/chat/completions",
  responses: "/api/v1/responses",
  messages: "/api/v1/messages",
};
const bodies: Record<ClientId, (body: ChatBody) => object> = {
  prompt: (body) => promptBody(body) ?? chatBody(body),
  chat: chatBody,
  responses: responsesBody,
  messages: anthropicBody,
};
const clients = Object.keys(clientNames) as ClientId[];
const cases = clients.flatMap((client) => languages.map((language) => [client, language] as const));

describe.each(cases)("%s, %s", (client, language) => {
  const codeOf = (body: ChatBody, baseUrl: string): string =>
    writeCode(client, { baseUrl, keyVariable: "PENNYPROMPT_KEY" }, body).find((one) => one.language === language)?.code ?? "";

  test.skipIf(language === "Python" && !hasPython)("sends what the page would send, with the key of the environment", async () => {
    for (const body of [single, fullBody("gpt-4o-mini")]) {
      recorder.clear();
      await run(language, codeOf(body, recorder.url), "pp_test").catch(() => undefined); // the recorder's answers have no content
      const path = client === "prompt" && body !== single ? paths.chat : paths[client];
      expect(recorder.requests).toMatchObject([{ path, key: "pp_test" }]);
      expect(recorder.requests[0]?.body).toEqual(JSON.parse(JSON.stringify(bodies[client](body))));
    }
  });
});

test("a body above what a command's argument may hold goes through a document", async () => {
  const body = writeBody({ model: "grok" }, messagesOf(undefined, [], message(`${nasty}JSON\n`.repeat(8_000))));
  for (const client of ["chat", "responses", "messages"] as const) {
    recorder.clear();
    const target = { baseUrl: recorder.url, keyVariable: "PENNYPROMPT_KEY" };
    await run("curl", writeCode(client, target, body)[0]?.code ?? "", "pp_test");
    expect(recorder.requests[0]?.body).toEqual(JSON.parse(JSON.stringify(bodies[client](body))));
  }
});

test.each(clients)("the service answers %s's form of a whole conversation, and charges it", async (client) => {
  const account = await openAccount();
  const model = client === "messages" ? "claude-haiku-4-5" : "gpt-4o-mini";
  for (const body of [{ ...single, model }, fullBody(model)]) {
    const path = client === "prompt" && !promptBody(body) ? paths.chat : paths[client];
    const response = await fetch(service.url("node") + path, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
      body: JSON.stringify(bodies[client](body)),
    });
    expect([response.status, response.ok ? "" : await response.text()]).toEqual([200, ""]);
    await response.text().catch(() => undefined);
  }
  expect(await chargesOf(account.accountId)).toHaveLength(2);
  await expectPaid(account);
});

test("a text alone is a prompt; what a prompt has no field for is a chat completion", () => {
  expect(promptBody(single)).toEqual({ model: "gpt-4o-mini", system: nasty, prompt: nasty, maxTokens: 32, temperature: 0.25 });
  expect(promptBody(fullBody("grok"))).toBeNull();
  expect(promptBody({ ...single, reasoning_effort: "low" })).toBeNull();
  expect(promptBody({ ...single, messages: single.messages.slice(1) })).toMatchObject({ system: undefined, prompt: nasty });
});
