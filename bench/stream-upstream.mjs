// The provider of the streams: the bench's completion in OpenAI's streaming format, each token in its own packet. The first goes out
// with the headers, at once. A request without `stream` gets the whole completion.
// `node stream-upstream.mjs <port> <milliseconds between tokens> <tokens, 0: to the completion's end>`

import { createServer } from "node:http";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { answerText, completion } from "./upstream.mjs";

const [, , port, paceMs, count] = process.argv;
const words = answerText.match(/\s*\S+/g) ?? [];
const tokens = Array.from({ length: Number(count) || words.length }, (_, place) => words[place % words.length]);

const { id, created, model, service_tier, system_fingerprint } = completion;
const head = { id, object: "chat.completion.chunk", created, model, service_tier, system_fingerprint };
const event = (fields) => `data: ${JSON.stringify({ ...head, ...fields })}\n\n`;
const choice = (delta, finish_reason = null) => event({ choices: [{ index: 0, delta, logprobs: null, finish_reason }], usage: null });

const opening = choice({ role: "assistant", content: "", refusal: null }) + choice({ content: tokens[0] });
const deltas = tokens.slice(1).map((content) => choice({ content }));
const usage = { ...completion.usage, completion_tokens: tokens.length, total_tokens: completion.usage.prompt_tokens + tokens.length };
const closing = `${choice({}, "stop")}${event({ choices: [], usage })}data: [DONE]\n\n`;
const whole = JSON.stringify(completion);

const server = createServer({ keepAliveTimeout: 3_600_000, noDelay: true }, (message, response) => {
  let requestBody = "";
  message.setEncoding("utf8");
  message.on("data", (chunk) => {
    requestBody += chunk;
  });
  message.on("end", () => {
    if (requestBody.includes('"stream":true')) void stream(response);
    else response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(whole) }).end(whole);
  });
});

async function stream(response) {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  response.write(opening);
  for (const delta of deltas) {
    await (Number(paceMs) > 0 ? sleep(Number(paceMs)) : nextTurn());
    if (response.destroyed) return;
    response.write(delta);
  }
  response.end(closing);
}

server.listen(Number(port), "127.0.0.1", 4096);
process.on("SIGTERM", () => process.exit(0));
