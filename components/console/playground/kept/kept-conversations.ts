// Conversations as they are kept in the browser, each under its own key and within a bound of its own: a long one is kept in part and says
// so, and never pushes another out. Beyond the bounds of all, the oldest go.

import * as z from "zod/mini";
import { efforts, type TurnOptions } from "../chat/body";
import {
  type Conversation,
  foldFirst,
  foldReplaced,
  newConversation,
  newestFirst,
  noEarlier,
  type Turn,
  type TurnInput,
} from "../chat/conversation";
import type { Run } from "../run";
import { type KeepOutcome, keep, keptText, listKeptChats, readKept, removeKept } from "./browser-store";
import { amount, run } from "./kept-run";

/** Characters of one conversation. */
export const MAX_CONVERSATION_LENGTH = 400_000;
/** Characters of all; browsers store some five million a site. */
const MAX_LENGTH = 4_000_000;
export const MAX_CONVERSATIONS = 50;
/** Of one text that is cut. */
const MIN_KEPT_TEXT = 2_000;
/** Of a conversation: runs without their turns. */
const MAX_REPLACED = 100;

const object = z.record(z.string(), z.unknown());
const options = z.object({
  model: z.string(),
  system: z.optional(z.string()),
  maxTokens: z.optional(z.number()),
  temperature: z.optional(z.number()),
  effort: z.optional(z.enum(efforts)),
  tools: z.optional(
    z.array(
      z.object({
        type: z.literal("function"),
        function: z.object({ name: z.string(), description: z.optional(z.string()), parameters: z.optional(object) }),
      }),
    ),
  ),
  schema: z.optional(z.object({ name: z.string(), schema: object })),
});

const input = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("message"), text: z.string(), images: z.array(z.object({ name: z.string() })) }),
  z.object({ kind: z.literal("results"), results: z.array(z.object({ callId: z.string(), name: z.string(), output: z.string() })) }),
]);

const turn = z.object({ id: z.number(), options, input, run, isCut: z.optional(z.boolean()) });

const conversation = z.object({
  title: z.nullable(z.string().check(z.maxLength(200))),
  updatedAt: z.number(),
  turns: z.array(turn),
  replaced: z._default(z.array(run), []),
  earlier: z._default(z.object({ turns: z.int(), charged: amount, receipts: z.int() }), noEarlier),
});

/** The account's conversations, the newest first. */
export function readConversations(accountId: string): Conversation[] {
  const kept = listKeptChats(accountId).flatMap((id): Conversation[] => {
    const parsed = conversation.safeParse(readKept(accountId, `chat:${id}`)).data;
    return parsed ? [{ ...parsed, id, turns: parsed.turns.map((one): Turn => ({ ...one, input: withoutImages(one.input) })) }] : [];
  });
  return [...kept, ...takeOldRuns(accountId)].sort(newestFirst);
}

const withoutImages = (given: z.infer<typeof input>): TurnInput =>
  given.kind === "message" ? { ...given, images: given.images.map(({ name }) => ({ name, url: null })) } : given;

/** Runs of the version without conversations, each as a conversation of one turn. They are kept in the new form from then on. */
function takeOldRuns(accountId: string): Conversation[] {
  const old = readKept(accountId, "runs");
  removeKept(accountId, "runs");
  if (!Array.isArray(old)) return [];
  return old.flatMap((row): Conversation[] => {
    const known = run.safeParse(row).data;
    if (!known) return [];
    const taken = conversationOfRun(known);
    keepConversation(accountId, taken);
    return [taken];
  });
}

function conversationOfRun(known: Run): Conversation {
  const { prompt: text, payment: _, ...asked } = known.fields;
  const { model, system, maxTokens, temperature } = asked;
  const turnOptions: TurnOptions = { model, system, maxTokens, temperature };
  const only: Turn = { id: known.id, options: turnOptions, input: { kind: "message", text, images: [] }, run: known };
  return { ...newConversation(`run-${known.id}`, known.id), turns: [only] };
}

/** Keeps a conversation, and drops the oldest others when there are too many or they are too long together. */
export function keepConversation(accountId: string, given: Conversation): KeepOutcome {
  if (given.turns.length === 0 && given.replaced.length === 0 && given.earlier.receipts === 0) {
    removeKept(accountId, `chat:${given.id}`);
    return "kept";
  }
  const { id, ...fitting } = fitConversation(given);
  dropOldest(accountId, id, keptText(fitting).length);
  return keep(accountId, `chat:${id}`, fitting);
}

/** The ids of kept conversations that do not fit beside the newest, whose length is given. */
function dropOldest(accountId: string, keptId: string, length: number): void {
  const others = listKeptChats(accountId)
    .filter((id) => id !== keptId)
    .map((id) => ({ id, ...measure(readKept(accountId, `chat:${id}`)) }))
    .sort(newestFirst);
  let left = MAX_LENGTH - length;
  for (const [index, other] of others.entries()) {
    left -= other.length;
    if (left < 0 || index + 1 >= MAX_CONVERSATIONS) removeKept(accountId, `chat:${other.id}`);
  }
}

const measure = (value: unknown): { updatedAt: number; length: number } => ({
  updatedAt: z.object({ updatedAt: z.number() }).safeParse(value).data?.updatedAt ?? 0,
  length: keptText(value ?? null).length,
});

export const removeConversation = (accountId: string, id: string): void => removeKept(accountId, `chat:${id}`);

/** The conversation without its images, its longest texts cut until it fits its bound; their turns say so. Its cost stays. */
export function fitConversation(given: Conversation): Conversation {
  const bare = { ...foldReplaced(given, MAX_REPLACED), turns: given.turns.map(withImageNames) };
  const light = keptText(bare).length > MAX_CONVERSATION_LENGTH ? { ...bare, turns: bare.turns.map(withoutOldTools) } : bare;
  let limit = MAX_CONVERSATION_LENGTH;
  let fitted: Conversation = light;
  while (keptText(fitted).length > MAX_CONVERSATION_LENGTH && limit > MIN_KEPT_TEXT) {
    limit = Math.floor(limit / 2);
    fitted = { ...light, turns: light.turns.map((one) => cutTurn(one, limit)) };
  }
  // Thousands of short turns: the first go.
  while (fitted.turns.length > 1 && keptText(fitted).length > MAX_CONVERSATION_LENGTH) {
    fitted = foldReplaced(foldFirst(fitted, Math.ceil(fitted.turns.length / 8)), MAX_REPLACED);
  }
  return fitted;
}

/** Only the last turn, and turns that a wallet paid for, are sent again as they were. */
const withoutOldTools = (one: Turn, index: number, turns: readonly Turn[]): Turn =>
  index === turns.length - 1 || one.run.fields.payment ? one : { ...one, options: { ...one.options, tools: undefined, schema: undefined } };

const withImageNames = (one: Turn): Turn =>
  one.input.kind === "message"
    ? { ...one, input: { ...one.input, images: one.input.images.map(({ name }) => ({ name, url: null })) } }
    : one;

function cutTurn(one: Turn, limit: number): Turn {
  const cut = (text: string): string => (text.length > limit ? cutAt(text, limit) : text);
  const { text, reasoning } = one.run;
  const shortened: Turn = {
    ...one,
    input:
      one.input.kind === "message"
        ? { ...one.input, text: cut(one.input.text) }
        : { ...one.input, results: one.input.results.map((result) => ({ ...result, output: cut(result.output) })) },
    options: { ...one.options, system: one.options.system && cut(one.options.system) },
    run: { ...one.run, text: cut(text), reasoning: cut(reasoning) },
  };
  return keptText(shortened).length < keptText(one).length ? { ...shortened, isCut: true } : one;
}

/** Never in the middle of a surrogate pair. */
const cutAt = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
