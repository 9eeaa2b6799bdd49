// Creates the answer of a simulated model: short, obviously simulated, and deterministic per prompt. It never exceeds the request's limit,
// and its usage counts exactly the delivered output.

import { nowMs } from "@/lib/base/clock";
import { randomBase62 } from "@/lib/base/ids";
import { type Behaviour, withoutDirectives } from "./behaviour";
import { countImageTokens } from "./images";
import type { PromptCaches } from "./prompt-caches";
import { sampleOf } from "./schema-sample";
import { countInputTokens, repeatToTokens, splitIntoTokens } from "./tokens";
import { countCall, cutCalls, planToolCalls } from "./tool-calls";
import { type AnsweredCall, type SimulatedAnswer, type SimulatedCall, type TokenCounts, turnsOf, type Vendor } from "./vendor";

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

/** In the system prompt, as a gateway must ask for JSON where a model has no formats. A real model follows any such words. */
const IN_WORDS = /\bone JSON object and nothing else\b/i;
const SCHEMA_IN_WORDS = "JSON Schema: ";

/** What decides an answer besides its call. */
interface Simulation {
  behaviour: Behaviour;
  /** Invalid directives: the answer names them. */
  problems: readonly string[];
  caches: PromptCaches;
}

/** Creates the answer of `vendor` to `call`. */
export function createAnswer(vendor: Vendor, call: SimulatedCall, { behaviour, problems, caches }: Simulation): SimulatedAnswer {
  const limit = call.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  const reasoningLimit = vendor.limitBoundsReasoning ? limit : Number.POSITIVE_INFINITY;
  const reasoning = Math.min(behaviour.reasoningTokens ?? 0, reasoningLimit);
  const visibleLimit = vendor.limitBoundsReasoning ? limit - reasoning : limit;

  const plan = planToolCalls(call, behaviour);
  // A model may write text before its tool calls; a simulated one does only when a directive gives the text.
  const isSilent = plan.calls.length > 0 && behaviour.text === undefined;
  const text = isSilent ? "" : wantedText(call, behaviour, [...problems, ...plan.problems]);
  const { said, stoppedBy } = cutAtStop(text, call.stop);
  const wanted = splitIntoTokens(said, Number.POSITIVE_INFINITY);
  const pieces = wanted.slice(0, visibleLimit);
  const toolCalls = cutCalls(plan.calls, visibleLimit - pieces.length);
  const isCut = pieces.length < wanted.length || countCalls(toolCalls) < countCalls(plan.calls);
  const ending = isCut ? "length" : toolCalls.length > 0 ? "tool_calls" : "stop";
  const finish = behaviour.filtered ? "filtered" : ending;
  return {
    id: randomBase62(24),
    createdAtSeconds: Math.floor(nowMs() / 1000),
    model: call.model,
    pieces,
    thoughts: reasoning === 0 ? [] : splitIntoTokens(repeatToTokens(THOUGHT, reasoning), reasoning),
    toolCalls,
    finish,
    stoppedBy: finish === "stop" ? stoppedBy : null,
    usage: countUsage({ vendor, call, behaviour, caches }, { visible: pieces.length + countCalls(toolCalls), reasoning }),
  };
}

function wantedText(call: SimulatedCall, behaviour: Behaviour, problems: readonly string[]): string {
  // A prompt may contain half a surrogate pair; no vendor returns such text.
  const text = (behaviour.text ?? composeAnswer(call, problems)).replace(/\p{Surrogate}/gu, "\ufffd");
  if (behaviour.answerTokens === undefined) return text;
  return splitIntoTokens(`${text} ${repeatToTokens(FILLER, behaviour.answerTokens)}`, behaviour.answerTokens).join("");
}

/** `text` up to the first stop sequence. */
function cutAtStop(text: string, stop: readonly string[]): { said: string; stoppedBy: string | null } {
  let said = text;
  let stoppedBy: string | null = null;
  for (const mark of stop) {
    const at = mark === "" ? -1 : said.indexOf(mark);
    if (at === -1) continue;
    said = said.slice(0, at);
    stoppedBy = mark;
  }
  return { said, stoppedBy };
}

function composeAnswer(call: SimulatedCall, problems: readonly string[]): string {
  const text = composeText(call, problems);
  return composeJson(call, text) ?? text;
}

/** The JSON form of an answer with `text`; null when no JSON is requested. */
function composeJson(call: SimulatedCall, text: string): string | null {
  const instructions = call.messages.filter(({ role }) => role === "system").map((message) => message.text);
  const schema = call.json?.schema ?? findSchema(instructions);
  if (schema !== undefined) return JSON.stringify(sampleOf(schema));
  const isAsked = call.json !== undefined || instructions.some((instruction) => IN_WORDS.test(instruction));
  return isAsked ? JSON.stringify({ answer: text }) : null;
}

/** The schema at the end of an instruction. */
function findSchema(instructions: readonly string[]): object | undefined {
  for (const instruction of instructions) {
    const at = instruction.lastIndexOf(SCHEMA_IN_WORDS);
    if (at === -1) continue;
    try {
      const schema: unknown = JSON.parse(instruction.slice(at + SCHEMA_IN_WORDS.length));
      if (typeof schema === "object" && schema !== null) return schema;
    } catch {
      // Not a schema after all.
    }
  }
  return undefined;
}

function composeText(call: SimulatedCall, problems: readonly string[]): string {
  const opening = `Simulated answer from ${call.model}:`;
  if (problems.length > 0) return `${opening} a directive in the prompt was not understood. ${problems.join("; ")}.`;
  const results = lastResults(call);
  if (results.length > 0) return `${opening} ${results.map((result) => `The function said: “${gistOf(result)}”.`).join(" ")}`;
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

/** The tool results at the end of the conversation; empty when its last turn is not a tool's. */
function lastResults(call: SimulatedCall): string[] {
  const turns = turnsOf(call);
  const last = turns.findLastIndex(({ role }) => role !== "tool");
  return turns.slice(last + 1).map(({ text }) => text);
}

/** The last user turn, which may be several messages. Directives are read from it: those of its last message that has any. */
export function lastQuestion(call: SimulatedCall): string {
  const turns = turnsOf(call);
  const end = turns.findLastIndex(({ role }) => role === "user") + 1;
  const start = turns.slice(0, end).findLastIndex(({ role }) => role !== "user") + 1;
  const texts = turns.slice(start, end).map(({ text }) => text);
  const directed = texts.findLastIndex((text) => withoutDirectives(text) !== text);
  return texts.map((text, index) => (index < directed ? withoutDirectives(text) : text)).join("\n");
}

function gistOf(question: string): string {
  const line = question
    .slice(0, GIST_CHARACTERS * 4)
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...line];
  return characters.length <= GIST_CHARACTERS ? line : `${characters.slice(0, GIST_CHARACTERS).join("").trimEnd()}…`;
}

interface Counted extends Omit<Simulation, "problems"> {
  vendor: Vendor;
  call: SimulatedCall;
}

function countUsage({ vendor, call, behaviour, caches }: Counted, output: { visible: number; reasoning: number }): TokenCounts | null {
  if (behaviour.noUsage) return null;
  const { reasoning } = output;
  const input = behaviour.usage?.inputTokens ?? countInputTokens(call.messages, call.tools) + countImageTokens(vendor.provider, call);
  const cache = caches.count(vendor, call);
  // An empty answer still costs its end-of-answer token, unless reasoning used up the limit.
  const text =
    behaviour.usage === undefined ? Math.max(output.visible, reasoning > 0 ? 0 : 1) : Math.max(0, behaviour.usage.outputTokens - reasoning);
  const sign = behaviour.usageNegative ? -1 : 1;
  const cached = Math.min(behaviour.cachedTokens ?? cache.read, input);
  const written = Math.min(cache.written, input - cached);
  const writtenForHours = Math.min(cache.writtenForHours, input - cached - written);
  return { input: sign * input, cached, written, writtenForHours, text: sign * text, reasoning };
}

const countCalls = (calls: readonly AnsweredCall[]): number => calls.reduce((sum, call) => sum + countCall(call), 0);

const pick = (sentences: readonly string[], seed: number): string => sentences[seed % sentences.length] ?? "";

/** FNV-1a over the first kilobyte: enough to vary the closing words. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < Math.min(text.length, 1024); index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value;
}
