// POST /api/v1/x402/prompt: what POST /api/v1/prompt does, for whoever has a wallet and no account. x402's own clients pay by themselves.

import { endpoint } from "../http/endpoint";
import { runPrompt } from "../prompt/pipeline";
import { promptWriter, readPrompt } from "../prompt/prompt-body";
import { identifyClient } from "./payer";
import { placeFromX402 } from "./place";

export const x402Prompt = endpoint("x402/prompt", (request) =>
  runPrompt(request, { identify: identifyClient, read: readPrompt, place: placeFromX402, write: promptWriter }),
);
