// The running service with a provider over HTTP in place of all vendors: it counts every call, answers with the same tokens each time, fails
// when it is told to, and waits in the middle of an answer until it may go on.

import type { ServerResponse } from "node:http";
import { afterAll, beforeEach } from "vitest";
import { endpointAt, setEndpoints } from "@/lib/providers/endpoints";
import { startProvider } from "@/lib/providers/testing/provider-server";
import { until } from "./books";
import { openService } from "./service";

/** The tokens that each answer counts. An embedding has no output. */
export const COUNTED = { input: 11, output: 7 };

/** Paths of providers at which they count and bill nothing: https://docs.anthropic.com/en/docs/build-with-claude/token-counting#pricing */
const FREE_PATHS = ["/v1/messages/count_tokens"];

const vectorOf = (): string => Buffer.alloc(4 * 1_536, 1).toString("base64");

const usage = { prompt_tokens: COUNTED.input, completion_tokens: COUNTED.output, total_tokens: COUNTED.input + COUNTED.output };

interface AskedBody {
  model?: string;
  input?: string[];
  stream?: boolean;
}

const wholeAnswers: Record<string, (body: AskedBody) => object> = {
  "/v1/chat/completions": ({ model }) => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    model,
    choices: [{ index: 0, message: { role: "assistant", content: "Forty-two." }, finish_reason: "stop" }],
    usage,
  }),
  "/v1/embeddings": ({ model, input = [] }) => ({
    object: "list",
    model,
    data: input.map((_, index) => ({ object: "embedding", index, embedding: vectorOf() })),
    usage: { prompt_tokens: COUNTED.input, total_tokens: COUNTED.input },
  }),
  "/v1/messages/count_tokens": () => ({ input_tokens: COUNTED.input }),
};

const chunk = (fields: object): string =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", choices: [], ...fields })}\n\n`;

/** The parts of a streamed answer; the provider may be told to wait after the first. */
const streamParts = [
  chunk({ choices: [{ index: 0, delta: { role: "assistant", content: "Forty" }, finish_reason: null }] }),
  `${chunk({ choices: [{ index: 0, delta: { content: "-two." }, finish_reason: "stop" }] })}${chunk({ usage })}data: [DONE]\n\n`,
];

export interface CountedProvider {
  /** Calls that a provider bills. */
  billed: number;
  /** Calls to any path, with their bodies. */
  calls: string[];
  /** Runs when a call has come in, before anything is answered. */
  onCall: () => Promise<unknown>;
  /** Answers 500 to everything. */
  fails: boolean;
  /** Calls stop in the middle of their answer while this is pending. */
  gate: Promise<unknown>;
}

const untouched = (): CountedProvider => ({ billed: 0, calls: [], onCall: async () => undefined, fails: false, gate: Promise.resolve() });

async function answer(state: CountedProvider, response: ServerResponse, path: string, text: string): Promise<void> {
  const body = JSON.parse(text) as AskedBody;
  state.calls.push(path);
  if (!FREE_PATHS.includes(path)) state.billed += 1;
  await state.onCall();
  const type = { "content-type": body.stream ? "text/event-stream" : "application/json" };
  const write = wholeAnswers[path];
  if (state.fails || !write) return void response.writeHead(500, type).end('{"error":{"message":"failed"}}');
  const [first, rest] = streamParts;
  if (body.stream) response.writeHead(200, type).write(first);
  await state.gate;
  if (body.stream) response.end(rest);
  else response.writeHead(200, type).end(JSON.stringify(write(body)));
}

/** Opens the service with that provider. Call it at the top of a test file, and await it. */
export async function openCountedProvider(env: Record<string, string> = {}) {
  const provider = untouched();
  const host = await startProvider((response, nth) => {
    const { path = "", body = "" } = host.requests[nth] ?? {};
    answer(provider, response, path, body).catch(() => response.destroy());
  });
  const service = await openService({ env });
  setEndpoints(
    new Map([
      ["openai", endpointAt("openai", `${host.url}/v1`, "sk-counted")],
      ["anthropic", endpointAt("anthropic", host.url, "sk-counted")],
    ]),
  );
  beforeEach(() => void Object.assign(provider, untouched()));
  afterAll(() => host.close());
  /** Runs `act` while the provider is in the middle of its answer to `running`, and resolves with that. */
  const whileOneRuns = async <T>(running: Promise<T>, act: () => Promise<unknown>): Promise<T> => {
    let goOn = (): void => undefined;
    provider.gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    try {
      await until("the provider is called", async () => provider.billed > 0);
      await act();
    } finally {
      goOn();
    }
    return running;
  };
  return { service, provider, url: service.url("node"), whileOneRuns };
}
