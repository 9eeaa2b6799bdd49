// POST /api/v1/responses: the same as POST /api/v1/prompt in the format of OpenAI's Responses, stateless. Codex speaks nothing else.

import { chatErrorBody } from "../chat/errors";
import { authenticate } from "../http/caller";
import { endpoint } from "../http/endpoint";
import { placeMoney, runPrompt } from "../prompt/pipeline";
import { uploadSpace } from "../prompt/upload";
import { readResponses } from "./body";
import { replyToCodex } from "./codex";
import { responsesWriter } from "./writer";

export const responses = endpoint(
  "responses",
  (request) =>
    runPrompt(request, {
      identify: authenticate,
      read: readResponses,
      place: placeMoney,
      write: responsesWriter,
      openSpace: uploadSpace,
    }).catch((error: unknown) => replyToCodex(request, error)),
  { writeError: chatErrorBody, keepsFailures: true },
);
