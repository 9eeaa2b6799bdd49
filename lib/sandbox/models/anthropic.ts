// Anthropic's messages API.

import { errorBody, refuse, replyHeaders } from "./anthropic/refusals";
import { event, writeMessage, writeMessageEvents } from "./anthropic/reply";
import { readAnthropicCall } from "./anthropic/request";
import type { Vendor } from "./vendor";

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
  replyHeaders,
  refuse,
  writeJson: writeMessage,
  writeStream: writeMessageEvents,
  writeLateError: ({ stream }) => {
    const { type, ...error } = errorBody(529, "Overloaded");
    return stream ? event(type, error).text : JSON.stringify({ type, ...error });
  },
};
