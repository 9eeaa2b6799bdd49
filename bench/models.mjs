// The providers of the bench: nginx, which answers one fixed chat completion at once, and a server in the bench's own process, which
// streams it or takes its time. So a figure measures the gateway alone.

import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { REST_CORE } from "./machine.mjs";
import { freePort, startProcess, waitForAnswer } from "./processes.mjs";

/** A chat completions answer to a short question. */
const completion = {
  id: "chatcmpl-BfQ2ZzXk7Xq0bench00000000001",
  object: "chat.completion",
  created: 1_750_000_000,
  model: "gpt-4-turbo-2024-04-09",
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content:
          "A nano-dollar is one billionth of a US dollar. Prices per token are so small that whole cents, or even " +
          "millionths of a dollar, would have to be rounded; counted in nano-dollars every price is a whole number and every sum exact.",
        refusal: null,
        annotations: [],
      },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
  usage: {
    prompt_tokens: 18,
    completion_tokens: 49,
    total_tokens: 67,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
  },
  service_tier: "default",
  system_fingerprint: "fp_bench0001",
};
const whole = JSON.stringify(completion);

const answerText = completion.choices[0].message.content;
const words = answerText.match(/\s*\S+/g);
/** Events of a stream that is not paced. */
export const STREAM_EVENTS = words.length + 3;

/** Checks once that a contestant passes the provider's answer on. */
export async function proveAnswer({ name, origin, plan }) {
  const headers = { ...plan.headers, authorization: plan.authorizations[0] };
  const answer = await fetch(origin + plan.path, { method: "POST", headers, body: plan.body });
  const text = await answer.text();
  if (answer.status !== 200 || !text.includes(answerText))
    throw new Error(`${name} does not answer: ${answer.status} ${text.slice(0, 500)}`);
}

/** Starts nginx; resolves with its address. */
export async function startNginx(bench) {
  const home = join(bench.directory, "nginx");
  mkdirSync(home, { recursive: true });
  const port = await freePort();
  writeFileSync(join(home, "nginx.conf"), configuration(home, port));
  const args = ["-p", home, "-e", join(home, "error.log"), "-c", join(home, "nginx.conf")];
  const server = startProcess(bench, { name: "nginx", command: "nginx", args, core: REST_CORE, env: { PATH: process.env.PATH } });
  await waitForAnswer(server, `http://127.0.0.1:${port}/v1/chat/completions`);
  return { origin: `http://127.0.0.1:${port}`, pid: server.pid };
}

function configuration(home, port) {
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${home}/${name};`);
  return `
daemon off;
worker_processes 1;
pid ${home}/nginx.pid;
events { worker_connections 4096; }
http {
  ${paths.join("\n  ")}
  access_log off;
  keepalive_timeout 1h;
  keepalive_requests 1000000000;
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      default_type application/json;
      return 200 '${whole.replaceAll("'", "\\'")}';
    }
  }
}
`;
}

/**
 * Opens a provider that waits for `waitMs`, then answers with the completion, or streams it: each token in its own packet, one every
 * `paceMs` until there are `tokens` of them (0: each as soon as the previous one is out, to the completion's end).
 */
export async function openModel({ room }, { waitMs = 0, paceMs = 0, tokens = words.length } = {}) {
  const packets = streamOf(Array.from({ length: tokens }, (_, place) => words[place % words.length]));
  const server = createServer({ keepAliveTimeout: 3_600_000, noDelay: true }, (message, response) => {
    let requestBody = "";
    message.setEncoding("utf8").on("data", (chunk) => {
      requestBody += chunk;
    });
    message.on("end", async () => {
      if (waitMs > 0) await sleep(waitMs);
      if (requestBody.includes('"stream":true')) return stream(response);
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(whole) }).end(whole);
    });
  });
  const stream = async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
    for (const [place, packet] of packets.entries()) {
      if (place > 0) await (paceMs > 0 ? sleep(paceMs) : nextTurn());
      if (response.destroyed) return;
      response.write(packet);
    }
    response.end();
  };
  await new Promise((resolve) => server.listen(0, "127.0.0.1", 4096, resolve));
  const close = () => server.close().closeAllConnections();
  room.onClose(close);
  return { origin: `http://127.0.0.1:${server.address().port}`, close };
}

/** The completion in OpenAI's streaming format, a packet for each token: the first with the head, the last with the end. */
function streamOf(tokens) {
  const { id, created, model, service_tier, system_fingerprint } = completion;
  const head = { id, object: "chat.completion.chunk", created, model, service_tier, system_fingerprint };
  const event = (fields) => `data: ${JSON.stringify({ ...head, ...fields })}\n\n`;
  const choice = (delta, finish_reason = null) => event({ choices: [{ index: 0, delta, logprobs: null, finish_reason }], usage: null });
  const packets = tokens.map((content) => choice({ content }));
  const usage = { ...completion.usage, completion_tokens: tokens.length, total_tokens: completion.usage.prompt_tokens + tokens.length };
  packets[0] = choice({ role: "assistant", content: "", refusal: null }) + packets[0];
  return [...packets, `${choice({}, "stop")}${event({ choices: [], usage })}data: [DONE]\n\n`];
}
