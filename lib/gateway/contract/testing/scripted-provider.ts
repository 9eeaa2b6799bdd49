// The running service with a provider over HTTP that answers as a test tells it to, and the four dialects to ask it in.

import type { ServerResponse } from "node:http";
import { afterAll, beforeEach } from "vitest";
import { endpointAt, setEndpoints } from "@/lib/providers/endpoints";
import { startProvider } from "@/lib/providers/testing/provider-server";
import { type Answer, ask, QUESTION } from "./client";
import { openService } from "./service";

/** Of the provider: no answer and no log may have it. */
export const PROVIDER_KEY = "sk-scripted-0123456789-never-shown";

export type Reply = (response: ServerResponse, body: { stream?: boolean }) => void;

const messagesOf = (prompt: string) => [{ role: "user", content: prompt }];
export const dialects = {
  prompt: (model: string, prompt: string) => ({ path: "/api/v1/prompt", body: { model, prompt, maxTokens: 500 } }),
  chat: (model: string, prompt: string) => ({
    path: "/api/v1/chat/completions",
    body: { model, messages: messagesOf(prompt), max_tokens: 500 },
  }),
  messages: (model: string, prompt: string) => ({
    path: "/api/v1/messages",
    body: { model, messages: messagesOf(prompt), max_tokens: 500 },
  }),
  responses: (model: string, prompt: string) => ({ path: "/api/v1/responses", body: { model, input: prompt, max_output_tokens: 500 } }),
};

interface Sending {
  key: string;
  model?: string;
  prompt?: string;
  stream?: boolean;
  headers?: Record<string, string>;
}

interface Refusal {
  type: string;
  message: string;
  code: string;
  param?: string | null;
  details: Record<string, unknown>;
}

/** The error of an answer in OpenAI's or Anthropic's form. */
export const refusalOf = ({ text }: Answer): Refusal => (JSON.parse(text) as { error: Refusal }).error;

export const json =
  (status: number, body: object | string, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };

export const anthropicError = (status: number, type: string, message: string, headers: Record<string, string> = {}): Reply =>
  json(status, { type: "error", error: { type, message }, request_id: "req_011CSHoEeqs5C35K2UUqR7Fy" }, headers);

/** Opens the service with that provider in place of all vendors. Call it at the top of a test file, and await it. */
export async function openScriptedProvider() {
  const state = { reply: (() => undefined) as Reply, calls: 0 };
  const host = await startProvider((response, nth) => {
    state.calls += 1;
    state.reply(response, JSON.parse(host.requests[nth]?.body ?? "{}") as { stream?: boolean });
  });
  const service = await openService({ env: { PROVIDER_RETRIES: "2" } });
  const url = service.url("node");
  const vendors = ["openai", "anthropic", "gemini", "deepseek"] as const;
  setEndpoints(new Map(vendors.map((id) => [id, endpointAt(id, `${host.url}/v1`, PROVIDER_KEY)])));
  beforeEach(() => {
    state.calls = 0;
  });
  afterAll(async () => {
    await service.log.expectNoSecrets([PROVIDER_KEY]);
    await host.close();
  });
  const send = (
    dialect: keyof typeof dialects,
    { key, model = "claude-sonnet-4-5", prompt = QUESTION, stream = false, headers = {} }: Sending,
  ): Promise<Answer> => {
    const { path, body } = dialects[dialect](model, prompt);
    return ask({ url, key, path, headers, body: { ...body, stream } });
  };
  return { service, url, send, host: new URL(host.url).host, provider: state };
}
