// The wire format of OpenAI's Responses, which its reasoning models need for tools. Every call is stateless: OpenAI stores nothing, and
// reasoning comes and goes encrypted. Documented at https://platform.openai.com/docs/api-reference/responses (read 2026-11-26).

import { readResponsesRefusal } from "./openai-responses/errors";
import { readResponsesReply } from "./openai-responses/reply";
import { buildResponsesRequest } from "./openai-responses/request";
import { readResponsesStream } from "./openai-responses/stream";
import type { WireFormat } from "./types";

export const responsesFormat: WireFormat = {
  id: "openai-responses",
  buildRequest: buildResponsesRequest,
  readReply: readResponsesReply,
  readStream: readResponsesStream,
  readError: (status, headers, body) => readResponsesRefusal({ status, headers, body }),
};
