// Writes the answer of a simulated model: short, plainly simulated, and the same for the same prompt. Its length never
// exceeds the request's limit, and its usage is counted from exactly what is delivered.

import { nowMs } from "@/lib/base/clock";
import { randomBase62 } from "@/lib/base/ids";
import { type Behaviour, withoutDirectives } from "./behaviour";
import { countInputTokens, repeatToTokens, splitIntoTokens } from "./tokens";
import type { SimulatedAnswer, SimulatedCall, TokenCounts, Vendor } from "./vendor";

const GIST_CHARACTERS = 160;

const REMARKS = [
  "It has no opinion and no knowledge; what it has is the same shape, the same pace and the same bill as a real one.",
  "A real model would think now. This one only counts: it measured your words and will charge you for them to the last token.",
  "Nothing left this machine. The tokens below your answer are counted the same way for a stream and for a JSON reply.",
  "Ask the same again and you get the same again, which is more than most models promise.",
];

const NEXT_STEPS = [
  "Set maxTokens to a small number to see an answer cut short.",
  "Ask for a stream to watch the text arrive piece by piece.",
  "Add [[simulate: status=500]] to a prompt to see what a failing provider looks like from here.",
  "Look at the usage of this request: it equals what was taken from the balance.",
];

const FILLER = "This sentence stands in for more of the same answer, so that its length can be chosen. ";
const THOUGHT = "Weighing the question before answering it, as far as a simulation can. ";

/** Makes the answer of `vendor` to `call`. `problems` are directives that could not be read: the answer names them. */
export function makeAnswer(vendor: Vendor, call: SimulatedCall, behaviour: Behaviour, problems: readonly string[]): SimulatedAnswer {
  const limit = call.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  const reasoningLimit = vendor.limitBoundsReasoning ? limit : Number.POSITIVE_INFINITY;
  const reasoning = Math.min(behaviour.reasoningTokens ?? 0, reasoningLimit);
  const textLimit = vendor.limitBoundsReasoning ? limit - reasoning : limit;
  const wanted = wantedTokens(call, behaviour, problems);
  const pieces = wanted.slice(0, textLimit);
  return {
    id: randomBase62(24),
    createdAtSeconds: Math.floor(nowMs() / 1000),
    model: call.model,
    pieces,
    thoughts: reasoning === 0 ? [] : splitIntoTokens(repeatToTokens(THOUGHT, reasoning), reasoning),
    finish: behaviour.filtered ? "filtered" : wanted.length > pieces.length ? "length" : "stop",
    usage: countUsage(call, behaviour, { textTokens: pieces.length, reasoning }),
  };
}

function wantedTokens(call: SimulatedCall, behaviour: Behaviour, problems: readonly string[]): string[] {
  // A prompt may hold half a surrogate pair; no vendor sends such a text back.
  const text = (behaviour.text ?? composeText(call, problems)).replace(/\p{Surrogate}/gu, "\ufffd");
  if (behaviour.answerTokens === undefined) return splitIntoTokens(text, Number.POSITIVE_INFINITY);
  return splitIntoTokens(`${text} ${repeatToTokens(FILLER, behaviour.answerTokens)}`, behaviour.answerTokens);
}

function composeText(call: SimulatedCall, problems: readonly string[]): string {
  const opening = `Simulated answer from ${call.model}:`;
  if (problems.length > 0) return `${opening} a directive in the prompt was not understood. ${problems.join("; ")}.`;
  const question = withoutDirectives(lastQuestion(call));
  const words = question.split(/\s+/).filter((word) => word !== "").length;
  const seed = hash(question);
  const system = call.messages.some((message) => message.role === "system")
    ? " It came with a system instruction, which was counted too."
    : "";
  return (
    `${opening} you asked “${gistOf(question)}” (${words} ${words === 1 ? "word" : "words"}).${system} ` +
    `No model was asked. ${pick(REMARKS, seed)} ${pick(NEXT_STEPS, seed >>> 8)}`
  );
}

/** The last message that a user sent: the one that directives are taken from. */
export function lastQuestion(call: SimulatedCall): string {
  return call.messages.findLast((message) => message.role === "user")?.text ?? "";
}

function gistOf(question: string): string {
  const line = question
    .slice(0, GIST_CHARACTERS * 4)
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...line];
  return characters.length <= GIST_CHARACTERS ? line : `${characters.slice(0, GIST_CHARACTERS).join("").trimEnd()}…`;
}

function countUsage(call: SimulatedCall, behaviour: Behaviour, output: { textTokens: number; reasoning: number }): TokenCounts | null {
  if (behaviour.noUsage) return null;
  const { reasoning } = output;
  const input = behaviour.usage?.inputTokens ?? countInputTokens(call.messages);
  // An answer of no text still costs its end-of-answer token, unless reasoning used up the limit.
  const text =
    behaviour.usage === undefined
      ? Math.max(output.textTokens, reasoning > 0 ? 0 : 1)
      : Math.max(0, behaviour.usage.outputTokens - reasoning);
  const sign = behaviour.usageNegative ? -1 : 1;
  return { input: sign * input, cached: Math.min(behaviour.cachedTokens ?? 0, input), text: sign * text, reasoning };
}

const pick = (sentences: readonly string[], seed: number): string => sentences[seed % sentences.length] ?? "";

/** FNV-1a over the first kilobyte: enough to vary the closing words. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < Math.min(text.length, 1024); index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value;
}
