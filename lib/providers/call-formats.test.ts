// End to end with only the address replaced: the process's own settings, the real wire formats, real HTTP.

import { afterEach, expect, test } from "vitest";
import { readConfig } from "@/lib/base/config";
import { forgetSingleton, replaceSingleton } from "@/lib/base/process-singleton";
import { callProvider, callProviderWhole } from "./call";
import { findModel } from "./catalogue";
import { endpoints, setSimulatedProviders } from "./endpoints";
import { readCall } from "./testing/call-kit";
import { type ProviderServer, startProvider } from "./testing/provider-server";
import { closeProviderPools } from "./transport";

let server: ProviderServer | undefined;
afterEach(async () => {
  await closeProviderPools();
  await server?.close();
  for (const name of ["config", "endpoints", "simulatedProviders"]) forgetSingleton(name);
});

const sse = (...events: unknown[]) =>
  events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("");

const replies = {
  "gpt-4o": {
    path: "/openai/v1/chat/completions",
    json: JSON.stringify({
      choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 },
    }),
    stream: sse(
      { choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } },
      "[DONE]",
    ),
  },
  "claude-haiku-4-5": {
    path: "/anthropic/v1/messages",
    json: JSON.stringify({
      type: "message",
      role: "assistant",
      content: [{ type: "text", text: "Hi" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 7, output_tokens: 2 },
    }),
    stream: sse(
      {
        type: "message_start",
        message: { type: "message", role: "assistant", content: [], stop_reason: null, usage: { input_tokens: 7, output_tokens: 1 } },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
      { type: "message_stop" },
    ),
  },
  "gemini-2.5-flash": {
    path: "/gemini/v1beta/models/gemini-2.5-flash:",
    json: JSON.stringify({
      candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 2, totalTokenCount: 9 },
    }),
    stream: sse({
      candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 2, totalTokenCount: 9 },
    }),
  },
};

const cases = Object.keys(replies).flatMap((name) => [[name, true] as const, [name, false] as const]);

test.each(cases)("%s answers through the simulated providers (stream: %s)", async (name, stream) => {
  const reply = replies[name as keyof typeof replies];
  replaceSingleton("config", readConfig({}));
  server = await startProvider((response) => {
    response.writeHead(200, { "content-type": stream ? "text/event-stream" : "application/json" }).end(stream ? reply.stream : reply.json);
  });
  setSimulatedProviders({ openai: `${server.url}/openai/v1`, anthropic: `${server.url}/anthropic`, gemini: `${server.url}/gemini` });
  expect(endpoints().size).toBe(3);

  const model = findModel(name);
  if (!model) throw new Error(`${name} is not offered`);
  const call = { messages: [{ role: "user" as const, content: "Say hi" }], maxOutputTokens: 16 };
  const { text, events, failure } = await readCall(
    stream ? callProvider(model, { ...call, stream: true }, null) : callProviderWhole(model, { ...call, stream: false }, null),
  );
  expect(failure).toBeUndefined();
  expect(text).toBe("Hi");
  expect(events.at(-1)).toMatchObject({ type: "finish", reason: "stop", usage: { inputTokens: 7, outputTokens: 2 } });
  expect(server.requests[0]?.path).toContain(reply.path);
});
