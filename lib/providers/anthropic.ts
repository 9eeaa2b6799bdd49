// The wire format of Anthropic's Messages API, documented at https://docs.anthropic.com/en/api/messages and
// https://docs.anthropic.com/en/api/messages-streaming.

import { readAnthropicRefusal } from "./anthropic/errors";
import { readAnthropicReply } from "./anthropic/reply";
import { buildAnthropicRequest } from "./anthropic/request";
import { readAnthropicStream } from "./anthropic/stream";
import type { WireFormat } from "./types";

export const anthropicFormat: WireFormat = {
  id: "anthropic",
  buildRequest: buildAnthropicRequest,
  readReply: readAnthropicReply,
  readStream: readAnthropicStream,
  readError: (status, headers, body) => readAnthropicRefusal({ status, headers, body }),
};
