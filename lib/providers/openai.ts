// The wire format of OpenAI's chat completions, also spoken by xAI, DeepSeek and many self-hosted servers.
// Documented at https://platform.openai.com/docs/api-reference/chat, https://docs.x.ai/docs/api-reference and
// https://api-docs.deepseek.com/api/create-chat-completion.

import { readOpenAIRefusal } from "./openai/errors";
import { readOpenAIReply } from "./openai/reply";
import { buildOpenAIRequest } from "./openai/request";
import { readOpenAIStream } from "./openai/stream";
import type { WireFormat } from "./types";

export const openaiFormat: WireFormat = {
  id: "openai",
  buildRequest: buildOpenAIRequest,
  readReply: readOpenAIReply,
  readStream: readOpenAIStream,
  readError: (status, headers, body) => readOpenAIRefusal({ status, headers, body }),
};
