// POST /api/v1/prompt: a prompt in, the model's answer out, its exact cost charged.

import { authenticate } from "./caller";
import { endpoint } from "./endpoint";
import { placeMoney } from "./pay/place";
import { sellAnswer } from "./pipeline";
import { readPrompt } from "./prompt-body";
import { promptWriter } from "./prompt-writer";

export const prompt = endpoint("prompt", (request) =>
  sellAnswer(request, { identify: authenticate, read: readPrompt, place: placeMoney, write: promptWriter }),
);
