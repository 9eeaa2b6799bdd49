// POST /api/v1/chat/completions: the same as POST /api/v1/prompt in OpenAI's format, so that its client only needs another base URL and
// key.

import { authenticate } from "../http/caller";
import { endpoint } from "../http/endpoint";
import { placeMoney, runPrompt } from "../prompt/pipeline";
import { uploadSpace } from "../prompt/upload";
import { readChat } from "./body";
import { chatErrorBody } from "./errors";
import { chatWriter } from "./writer";

export const chatCompletions = endpoint(
  "chat/completions",
  (request) => runPrompt(request, { identify: authenticate, read: readChat, place: placeMoney, write: chatWriter, openSpace: uploadSpace }),
  { writeError: chatErrorBody, keepsFailures: true },
);
