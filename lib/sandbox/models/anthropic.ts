// Anthropic's messages API.
// Source of its errors: docs.anthropic.com/en/api/errors, and error bodies quoted in public issue threads of its clients.

import { event, writeMessage, writeMessageEvents } from "./anthropic/reply";
import { readAnthropicCall } from "./anthropic/request";
import type { Problem, Vendor } from "./vendor";

const ERROR_TYPES = new Map([
  [401, "authentication_error"],
  [402, "billing_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [504, "timeout_error"],
  [529, "overloaded_error"],
]);

const OVERLOADED = { message: "Overloaded" };

export const anthropic: Vendor = {
  provider: "anthropic",
  basePath: "/anthropic",
  modelNames: /^claude-/,
  limitBoundsReasoning: true,
  callsComeWhole: false,
  readPath: (path) => (path === "/v1/messages" ? {} : path === "/v1/messages/count_tokens" ? { isCount: true } : null),
  readKey: (headers) => [headers["x-api-key"]].flat()[0],
  readCall: (body, { isCount = false }, headers) => readAnthropicCall(body, headers, isCount),
  writeCount: (tokens) => JSON.stringify({ input_tokens: tokens }),
  replyHeaders: (requestId) => ({ "request-id": `req_01${requestId}` }),
  writeJson: writeMessage,
  writeStream: writeMessageEvents,
  writeLateError: ({ stream }) => {
    const body = errorBody({ status: 529, ...OVERLOADED });
    return stream ? event(body.type, body).text : JSON.stringify(body);
  },
  missingKey: { status: 401, message: "x-api-key header is required" },
  wrongKey: { status: 401, message: "invalid x-api-key" },
  unknownModel: (model) => ({ status: 404, message: `model: ${model}` }),
  statuses: new Map([
    [429, { message: "This request would exceed your organization's rate limit." }],
    [500, { message: "Internal server error" }],
    [529, OVERLOADED],
  ]),
  writeError: (problem, { requestId }) => JSON.stringify({ ...errorBody(problem), request_id: `req_01${requestId}` }),
};

function errorBody({ status, message }: Problem) {
  return { type: "error", error: { type: ERROR_TYPES.get(status) ?? (status < 500 ? "invalid_request_error" : "api_error"), message } };
}
