// The providers of the bench: nginx, which answers one fixed chat completion at once, and one in Node for streams. What remains in a
// figure is the gateway.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { REST_CORE } from "./machine.mjs";
import { freePort, startProcess, waitForAnswer } from "./processes.mjs";

/** A chat completions answer to a short question. */
export const completion = {
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

/** The text that every contestant must pass through. */
export const answerText = completion.choices[0].message.content;

/** Starts nginx below `directory`; resolves with its address. */
export async function startUpstream(room, directory) {
  const home = join(directory, "nginx");
  mkdirSync(home, { recursive: true });
  const port = await freePort();
  writeFileSync(join(home, "nginx.conf"), configuration(home, port));
  const server = startProcess(room, {
    name: "nginx",
    command: "nginx",
    args: ["-p", home, "-e", join(home, "error.log"), "-c", join(home, "nginx.conf")],
    core: REST_CORE,
    env: { PATH: process.env.PATH },
    logFile: join(home, "output.log"),
  });
  await waitForAnswer(server, `http://127.0.0.1:${port}/v1/chat/completions`);
  return { origin: `http://127.0.0.1:${port}`, pid: server.pid };
}

/**
 * Starts a provider that streams the completion, a token every `paceMs` until there are `tokens` of them (0 and none: each token as
 * soon as the previous one is out, to the completion's end). Without `stream` it answers as nginx does.
 */
export async function startStreamUpstream(room, directory, { paceMs = 0, tokens = 0 } = {}) {
  const port = await freePort();
  const server = startProcess(room, {
    name: "stream-upstream",
    command: process.execPath,
    args: [fileURLToPath(new URL("./stream-upstream.mjs", import.meta.url)), String(port), String(paceMs), String(tokens)],
    core: REST_CORE,
    env: { PATH: process.env.PATH, NODE_ENV: "production" },
    logFile: join(directory, "stream-upstream.log"),
  });
  const origin = `http://127.0.0.1:${port}`;
  await waitForAnswer(server, `${origin}/v1/chat/completions`);
  return { origin, pid: server.pid, stop: server.stop };
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
      return 200 '${JSON.stringify(completion).replaceAll("'", "\\'")}';
    }
  }
}
`;
}
