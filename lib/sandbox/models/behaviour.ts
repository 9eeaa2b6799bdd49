// The behaviour of a simulated model beyond answering: `[[simulate: …]]` directives in a prompt, which the control endpoint accepts too.
// README.md in this folder documents them.

import { HOUR_MS } from "@/lib/base/clock";

export interface Behaviour {
  /** Respond with this error status and the vendor's own body. */
  status?: number;
  retryAfterSeconds?: number;
  delayMs?: number;
  /** While delayed or hanging: answer 200 at once and send a keep-alive line this often. */
  keepAliveMs?: number;
  hang?: boolean;
  closeMidway?: boolean;
  errorMidway?: boolean;
  rubbish?: boolean;
  rubbishMidway?: boolean;
  /** Stop sending after this many deltas. */
  stallAfter?: number;
  /** Milliseconds between two deltas of a stream. */
  slowMs?: number;
  usage?: { inputTokens: number; outputTokens: number };
  noUsage?: boolean;
  usageNegative?: boolean;
  reasoningTokens?: number;
  cachedTokens?: number;
  /** Length of the answer in tokens, still bounded by the request's limit. */
  answerTokens?: number;
  text?: string;
  /** Call these functions, all at once; empty: the request's first. */
  tools?: readonly string[];
  /** The arguments of those calls, sent unchanged. */
  toolArguments?: string;
  /** End the answer like a content filter. */
  filtered?: boolean;
}

export interface BehaviourReading {
  behaviour: Behaviour;
  /** Messages about invalid directives; empty when all are valid. */
  problems: string[];
}

type Directive = (value: string | undefined) => Behaviour | string;

const LONGEST_ANSWER_TOKENS = 200_000;
const LONGEST_WAIT_MS = HOUR_MS;

const directives = new Map<string, Directive>([
  ["status", number(400, 599, (status) => ({ status }))],
  ["retry-after", number(0, 86_400, (retryAfterSeconds) => ({ retryAfterSeconds }))],
  ["delay", number(0, LONGEST_WAIT_MS, (delayMs) => ({ delayMs }))],
  ["keep-alive", number(1, LONGEST_WAIT_MS, (keepAliveMs) => ({ keepAliveMs }))],
  ["slow", number(0, LONGEST_WAIT_MS, (slowMs) => ({ slowMs }))],
  ["stall-after", number(0, LONGEST_ANSWER_TOKENS, (stallAfter) => ({ stallAfter }))],
  ["reasoning", number(0, LONGEST_ANSWER_TOKENS, (reasoningTokens) => ({ reasoningTokens }))],
  ["cached", number(0, Number.MAX_SAFE_INTEGER, (cachedTokens) => ({ cachedTokens }))],
  ["tokens", number(1, LONGEST_ANSWER_TOKENS, (answerTokens) => ({ answerTokens }))],
  ["hang", flag({ hang: true })],
  ["close-midway", flag({ closeMidway: true })],
  ["error-midway", flag({ errorMidway: true })],
  ["rubbish", flag({ rubbish: true })],
  ["rubbish-midway", flag({ rubbishMidway: true })],
  ["no-usage", flag({ noUsage: true })],
  ["usage-negative", flag({ usageNegative: true })],
  ["filtered", flag({ filtered: true })],
  ["text", (value) => (value === undefined ? 'wants text="…"' : { text: value })],
  ["tool", readTools],
  ["args", (value) => (value ? { toolArguments: value } : 'wants args="{…}"')],
  ["usage", readUsage],
]);

/** An answer lists them: a megabyte of wrong words would make ninety. */
const MAX_PROBLEMS = 20;

const OPENING = "[[simulate:";
const CLOSING = "]]";
const WORD = /([^\s="]+)(?:=("(?:[^"\\]|\\.)*"|[^\s"]*))?|(\S)/g;

/** Reads the directives inside the `[[simulate: …]]` blocks of a prompt. */
export function readPromptBehaviour(prompt: string): BehaviourReading {
  const texts = blocksOf(prompt).map(({ start, end }) => prompt.slice(start + OPENING.length, end - CLOSING.length));
  return readDirectives(texts.join(" "));
}

/** The prompt without its `[[simulate: …]]` blocks. */
export function withoutDirectives(prompt: string): string {
  const blocks = blocksOf(prompt);
  if (blocks.length === 0) return prompt;
  const parts = blocks.map(({ start }, index) => prompt.slice(blocks[index - 1]?.end ?? 0, start));
  return [...parts, prompt.slice(blocks.at(-1)?.end)].join(" ").trim();
}

interface Block {
  start: number;
  end: number;
}

function blocksOf(prompt: string): Block[] {
  const blocks: Block[] = [];
  for (let start = prompt.indexOf(OPENING); start >= 0; start = prompt.indexOf(OPENING, blocks.at(-1)?.end)) {
    const end = endOfBlock(prompt, start + OPENING.length);
    // A block without an end takes the rest of the prompt: to look for one from each further opening would take quadratic time.
    if (end === null) break;
    blocks.push({ start, end });
  }
  return blocks;
}

/** After the `]]` that ends a block; one in quotes does not. Null when there is none, or a quote stays open. */
function endOfBlock(prompt: string, from: number): number | null {
  const piece = /"(?:[^"\\]|\\.)*"|[^"\]]+|\]\]?/y;
  piece.lastIndex = from;
  for (let match = piece.exec(prompt); match !== null; match = piece.exec(prompt)) if (match[0] === CLOSING) return piece.lastIndex;
  return null;
}

/** Reads directives without brackets: `status=429 retry-after=2`. */
export function readDirectives(text: string): BehaviourReading {
  let behaviour: Behaviour = {};
  const problems: string[] = [];
  for (const [whole, name, rawValue] of text.matchAll(WORD)) {
    const directive = directives.get(name ?? "");
    const read = directive === undefined ? `is not one of ${[...directives.keys()].join(", ")}` : directive(unquote(rawValue));
    if (typeof read !== "string") behaviour = { ...behaviour, ...read };
    else if (problems.length < MAX_PROBLEMS) problems.push(`\`${whole}\` ${read}`);
  }
  return { behaviour, problems };
}

function unquote(value: string | undefined): string | undefined {
  if (!value?.startsWith('"')) return value;
  return value.slice(1, -1).replace(/\\(.)/gs, (_, character: string) => (character === "n" ? "\n" : character));
}

function flag(behaviour: Behaviour): Directive {
  return (value) => (value === undefined ? behaviour : "takes no value");
}

function number(least: number, most: number, make: (value: number) => Behaviour): Directive {
  return (value) => {
    const read = /^\d+$/.test(value ?? "") ? Number(value) : Number.NaN;
    return read >= least && read <= most ? make(read) : `wants a whole number from ${least} to ${most}`;
  };
}

function readUsage(value: string | undefined): Behaviour | string {
  const match = /^in:(\d+),out:(\d+)$/.exec(value ?? "");
  if (!match) return "wants in:<tokens>,out:<tokens>";
  return { usage: { inputTokens: Number(match[1]), outputTokens: Number(match[2]) } };
}

function readTools(value: string | undefined): Behaviour | string {
  if (value === undefined) return { tools: [] };
  const tools = value.split(",");
  return tools.includes("") ? "wants names of functions: NAME or NAME,OTHER" : { tools };
}
