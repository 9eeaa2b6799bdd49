// The wire format of Gemini's generateContent, documented at https://ai.google.dev/api/generate-content.

import { ownLongName } from "./gemini/call-id";
import { readGeminiRefusal } from "./gemini/errors";
import { readGeminiReply } from "./gemini/reply";
import { buildGeminiRequest } from "./gemini/request";
import { readGeminiStream } from "./gemini/stream";
import type { WireFormat } from "./types";

export const geminiFormat: WireFormat = {
  id: "gemini",
  buildRequest: buildGeminiRequest,
  ownToolName: ownLongName,
  readReply: readGeminiReply,
  readStream: readGeminiStream,
  readError: (status, headers, body) => readGeminiRefusal({ status, headers, body }),
};
