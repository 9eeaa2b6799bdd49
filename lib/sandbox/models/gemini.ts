// The Gemini API. Streams require `alt=sse`: without it the real API returns a JSON array, which none of our clients uses. A wrong key is a
// 400 and a missing one a 403, not a 401.
// Source of its errors: ai.google.dev/gemini-api/docs/troubleshooting, google.rpc.Status with its details (cloud.google.com/apis/design/errors),
// and error bodies quoted in public issue threads of its clients.

import { writeContent, writeContentChunks } from "./gemini/reply";
import { readGeminiCall } from "./gemini/request";
import type { Problem, Vendor, VendorEndpoint } from "./vendor";

const PATH = /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

const STATUS_NAMES = new Map([
  [401, "UNAUTHENTICATED"],
  [403, "PERMISSION_DENIED"],
  [404, "NOT_FOUND"],
  [429, "RESOURCE_EXHAUSTED"],
  [499, "CANCELLED"],
  [503, "UNAVAILABLE"],
  [504, "DEADLINE_EXCEEDED"],
]);

const OVERLOADED = { message: "The model is overloaded. Please try again later." };

export const gemini: Vendor = {
  provider: "gemini",
  basePath: "/gemini",
  modelNames: /^(gemini|gemma)-/,
  limitBoundsReasoning: true,
  callsComeWhole: true,
  readPath,
  readKey: (headers) => [headers["x-goog-api-key"]].flat()[0],
  readCall: readGeminiCall,
  replyHeaders: () => ({ vary: "Origin, X-Origin, Referer" }),
  writeJson: writeContent,
  writeStream: writeContentChunks,
  writeLateError: ({ stream }) => {
    const body = errorBody({ status: 503, ...OVERLOADED });
    return stream ? `data: ${JSON.stringify(body)}\r\n\r\n` : JSON.stringify(body, null, 2);
  },
  missingKey: { status: 403, message: "Method doesn't allow unregistered callers. Please use API Key to call this API." },
  wrongKey: { status: 400, message: "API key not valid. Please pass a valid API key.", code: "API_KEY_INVALID" },
  unknownModel: (model) => ({ status: 404, message: `models/${model} is not found for API version v1beta.` }),
  statuses: new Map([
    [429, { message: "You exceeded your current quota, please check your plan and billing details." }],
    [500, { message: "An internal error has occurred. Please retry." }],
    [503, OVERLOADED],
  ]),
  writeError: (problem, { retryAfterSeconds }) => JSON.stringify(errorBody(problem, retryAfterSeconds), null, 2),
};

function errorBody({ status, message, code }: Problem, retryAfterSeconds?: number) {
  const details = [
    ...(code ? [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: code, domain: "googleapis.com" }] : []),
    ...(retryAfterSeconds === undefined
      ? []
      : [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${retryAfterSeconds}s` }]),
  ];
  const name = STATUS_NAMES.get(status) ?? (status < 500 ? "INVALID_ARGUMENT" : "INTERNAL");
  return { error: { code: status, message, status: name, ...(details.length > 0 && { details }) } };
}

function readPath(path: string, query: URLSearchParams): VendorEndpoint | null {
  const [, model, method] = PATH.exec(path) ?? [];
  if (model === undefined) return null;
  const stream = method === "streamGenerateContent";
  return stream && query.get("alt") !== "sse" ? null : { model, stream };
}
