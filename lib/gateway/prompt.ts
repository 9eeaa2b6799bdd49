// POST /api/v1/prompt: a prompt in, the model's answer out, its exact cost charged.

import { endpoint } from "./endpoint";
import { sellAnswer } from "./pipeline";
import { readPrompt } from "./prompt-body";
import { promptWriter } from "./prompt-writer";

export const prompt = endpoint("prompt", (request) => sellAnswer(request, { read: readPrompt, write: promptWriter }));
