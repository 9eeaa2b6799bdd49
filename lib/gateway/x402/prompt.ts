// POST /api/v1/x402/prompt: the same as POST /api/v1/prompt, for clients with a wallet and no account. x402's own clients pay
// automatically.

import { endpoint } from "../http/endpoint";
import { runPrompt } from "../prompt/pipeline";
import { promptWriter, readPrompt } from "../prompt/prompt-body";
import { identifyClient } from "./payer";
import { placeFromX402 } from "./place";

export const x402Prompt = endpoint("x402/prompt", (request) =>
  runPrompt(request, { identify: identifyClient, read: readPrompt, place: placeFromX402, write: promptWriter }),
);
