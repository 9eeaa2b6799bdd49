// Answers of servers that call themselves compatible with OpenAI, and how our chat completions read them.

import { openaiFormat } from "../openai";
import { inPieces, usageOf } from "./replay";

export const counted = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 };
export const usage = usageOf([10, 4, 0, 0]);

export const whole = (message: object, finish_reason: unknown = "stop", more: object = { usage: counted }) =>
  openaiFormat.readReply(
    JSON.stringify({ id: "x", choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }], ...more }),
  );

export const chunk = (delta: object | null, finish_reason: unknown = null, more: object = {}) =>
  JSON.stringify({ id: "x", choices: [{ index: 0, delta, finish_reason }], ...more });
export const event = (data: string) => `data: ${data}\n\n`;
export const end = (reason = "stop") => event(chunk({}, reason, { usage: counted }));
export const DONE = event("[DONE]");

export const streamOf = (text: string) => openaiFormat.readStream(inPieces(Buffer.from(text), 11));
export const deltas = (given: object[], reason = "stop") =>
  streamOf([...given.map((delta) => event(chunk(delta))), end(reason), DONE].join(""));
