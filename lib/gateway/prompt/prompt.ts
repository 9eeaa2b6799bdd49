// POST /api/v1/prompt: a prompt in, the model's answer out, its exact cost charged.

import { authenticate } from "../http/caller";
import { endpoint } from "../http/endpoint";
import { placeMoney } from "../proof/place";
import { runPrompt } from "./pipeline";
import { readPrompt } from "./prompt-body";
import { promptWriter } from "./prompt-writer";

export const prompt = endpoint("prompt", (request) =>
  runPrompt(request, { identify: authenticate, read: readPrompt, place: placeMoney, write: promptWriter }),
);
