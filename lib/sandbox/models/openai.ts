// OpenAI, and the two vendors with variants of its chat completions: xAI and DeepSeek. Their errors look alike but differ: xAI responds to a
// wrong key with 400 and a body of two strings, DeepSeek to an unknown model with 400.
// Source: platform.openai.com/docs/guides/error-codes, docs.x.ai/docs/key-information/debugging,
// api-docs.deepseek.com/quick_start/error_codes, and error bodies quoted in public issue threads of their clients.

import type { IncomingHttpHeaders } from "node:http";
import { type Dialect, deepseekUsage, openaiUsage, writeChunks, writeCompletion, xaiUsage } from "./openai/reply";
import { readChatCall } from "./openai/request";
import { errorEvent, failedResponse, writeEvents, writeResponse } from "./responses/reply";
import { readResponsesCall } from "./responses/request";
import type { Problem, SimulatedCall, Vendor } from "./vendor";

const OVERLOADED = "The server had an error while processing your request. Sorry about that!";

interface Accent
  extends Omit<Vendor, "readPath" | "readKey" | "readCall" | "callsComeWhole" | "writeJson" | "writeStream" | "writeLateError"> {
  /** OpenAI's newer interface. */
  responsesPath?: string;
  dialect: Dialect;
}

export const openai = vendor({
  provider: "openai",
  basePath: "/openai/v1",
  responsesPath: "/responses",
  modelNames: /^(gpt-|chatgpt-|o\d)/,
  limitBoundsReasoning: true,
  dialect: {
    idPrefix: "chatcmpl-",
    extras: { service_tier: "default", system_fingerprint: "fp_simulated" },
    showsReasoning: false,
    usageComesWith: "chunk",
    alwaysSendsUsage: false,
    usage: openaiUsage,
    namesAbsentFields: true,
    callsComeWhole: false,
    writeCallId: (id) => `call_${id}`,
  },
  replyHeaders: (requestId) => ({ "x-request-id": `req_${requestId}`, "openai-version": "2020-10-01" }),
  missingKey: { status: 401, message: "You didn't provide an API key." },
  wrongKey: { status: 401, message: "Incorrect API key provided.", code: "invalid_api_key" },
  unknownModel: (model) => ({
    status: 404,
    message: `The model \`${model}\` does not exist or you do not have access to it.`,
    code: "model_not_found",
  }),
  statuses: new Map([
    [429, { message: "Rate limit reached for requests. Limit: 3 / min. Please try again later.", code: "rate_limit_exceeded" }],
    [500, { message: OVERLOADED }],
    [503, { message: "The engine is currently overloaded, please try again later" }],
  ]),
  writeError: openaiError,
});

export const xai = vendor({
  provider: "xai",
  basePath: "/xai/v1",
  modelNames: /^grok(-|$)/,
  limitBoundsReasoning: false,
  dialect: {
    idPrefix: "",
    extras: { system_fingerprint: "fp_simulated" },
    showsReasoning: true,
    usageComesWith: "chunk",
    alwaysSendsUsage: false,
    usage: xaiUsage,
    namesAbsentFields: false,
    callsComeWhole: true,
    writeCallId: (id) => `call_${id.slice(0, 8)}`,
  },
  replyHeaders: (requestId) => ({ "x-request-id": requestId }),
  missingKey: { status: 401, message: "No API key provided.", code: "The request does not have valid authentication credentials" },
  wrongKey: { status: 400, message: "Incorrect API key provided." },
  unknownModel: (model) => ({
    status: 404,
    message: `The model ${model} does not exist or your team does not have access to it.`,
    code: "Some requested entity was not found",
  }),
  statuses: new Map([
    [429, { message: "Too many requests for the team. Please slow down.", code: "Some resource has been exhausted" }],
    [500, { message: "The service ran into an unexpected error.", code: "Internal error" }],
    [503, { message: "The model is at capacity. Please try again later.", code: "The service is currently unavailable" }],
  ]),
  writeError: ({ message, code = "Client specified an invalid argument" }) => JSON.stringify({ code, error: message }),
});

export const deepseek = vendor({
  provider: "deepseek",
  basePath: "/deepseek",
  modelNames: /^deepseek-/,
  limitBoundsReasoning: true,
  dialect: {
    idPrefix: "",
    extras: { system_fingerprint: "fp_simulated" },
    showsReasoning: true,
    usageComesWith: "finish",
    alwaysSendsUsage: true,
    usage: deepseekUsage,
    namesAbsentFields: false,
    callsComeWhole: false,
    writeCallId: (id, index) => `call_${String(index).padStart(2, "0")}_${id.slice(0, 20)}`,
  },
  replyHeaders: (requestId) => ({ "x-ds-trace-id": requestId }),
  missingKey: { status: 401, message: "Authentication Fails (auth header format should be Bearer sk-...)" },
  wrongKey: { status: 401, message: "Authentication Fails, Your api key is invalid" },
  unknownModel: () => ({ status: 400, message: "Model Not Exist" }),
  statuses: new Map([
    [402, { message: "Insufficient Balance" }],
    [429, { message: "Rate limit reached. Please pace your requests." }],
    [500, { message: "Internal server error" }],
    [503, { message: "Service is too busy. Please try again later." }],
  ]),
  writeError: ({ status, message }) => {
    const types = new Map([
      [401, "authentication_error"],
      [402, "unknown_error"],
      [429, "rate_limit_error"],
    ]);
    const type = types.get(status) ?? (status >= 500 ? "service_unavailable_error" : "invalid_request_error");
    return JSON.stringify({ error: { message, type, param: null, code: "invalid_request_error" } });
  },
});

function vendor({ responsesPath, dialect, ...accent }: Accent): Vendor {
  return {
    ...accent,
    callsComeWhole: dialect.callsComeWhole,
    readPath: (path) => (path === responsesPath ? { isResponses: true } : path === "/chat/completions" ? {} : null),
    readCall: (body, { isResponses }) => (isResponses ? readResponsesCall(body) : readChatCall(body)),
    readKey: readBearer,
    writeJson: (answer, call) => (call.responses ? writeResponse(answer, call) : writeCompletion(answer, dialect)),
    writeStream: (answer, call) => (call.responses ? writeEvents(answer, call) : writeChunks(answer, call, dialect)),
    writeLateError,
  };
}

function openaiError({ status, message, code = null }: Omit<Problem, "code"> & { code?: string | null }): string {
  const type = status === 429 ? "requests" : status >= 500 ? "server_error" : "invalid_request_error";
  return JSON.stringify({ error: { message, type, param: null, code } }, null, 2);
}

function writeLateError({ stream, responses }: SimulatedCall): string {
  if (responses) return stream ? errorEvent(OVERLOADED) : failedResponse(OVERLOADED);
  const body = openaiError({ status: 500, message: OVERLOADED });
  return stream ? `data: ${JSON.stringify(JSON.parse(body))}\n\n` : body;
}

function readBearer(headers: IncomingHttpHeaders): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? "")?.[1];
}
