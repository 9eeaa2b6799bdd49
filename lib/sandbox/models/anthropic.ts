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
  readPath: (path) => (path === "/v1/messages" ? {} : null),
  readKey: (headers) => [headers["x-api-key"]].flat()[0],
  readCall: (body, _endpoint, headers) => readAnthropicCall(body, headers),
  replyHeaders,
  refuse,
  writeJson: writeMessage,
  writeStream: writeMessageEvents,
  writeLateError: ({ stream }) => {
    const { type, ...error } = errorBody(529, "Overloaded");
    return stream ? event(type, error).text : JSON.stringify({ type, ...error });
  },
};
