// A conversation: its turns, each a message or results of tools and the run that answers it. Nothing here is changed in place.

import { chargeOf } from "../cost-lines";
import { isAbandoned, isRunning, type Run, type ToolCall } from "../run";
import type { ChatMessage, ContentPart, TurnOptions } from "./body";

export interface AttachedImage {
  name: string;
  /** A data URL; null once it is no longer there: browsers have no space to keep images. */
  url: string | null;
}

export interface ToolResult {
  callId: string;
  name: string;
  output: string;
}

export type TurnInput =
  | { kind: "message"; text: string; images: readonly AttachedImage[] }
  | { kind: "results"; results: readonly ToolResult[] };

export interface Turn {
  /** That of its run. */
  id: number;
  options: TurnOptions;
  input: TurnInput;
  run: Run;
  /** Only the beginning of its texts was kept. */
  isCut?: boolean | undefined;
}

/** Turns and runs that are no longer kept, summed. */
export interface Earlier {
  turns: number;
  /** The sum of their charges, nano-USD. */
  charged: bigint;
  /** How many charges these were. */
  receipts: number;
}

export interface Conversation {
  id: string;
  /** As it was renamed, or since its first turn is gone; null: by its first words. */
  title: string | null;
  /** Unix milliseconds. */
  updatedAt: number;
  turns: readonly Turn[];
  /** Runs whose answer was asked for again or edited away, without their texts: they cost something all the same. */
  replaced: readonly Run[];
  /** Turns and runs that are no longer kept. Their cost still counts. */
  earlier: Earlier;
}

const MAX_TITLE = 60;

export const newestFirst = (one: { updatedAt: number }, other: { updatedAt: number }): number => other.updatedAt - one.updatedAt;

export const noEarlier: Earlier = { turns: 0, charged: 0n, receipts: 0 };

export const newConversation = (id: string, now: number): Conversation => ({
  id,
  title: null,
  updatedAt: now,
  turns: [],
  replaced: [],
  earlier: noEarlier,
});

export const addTurn = (conversation: Conversation, turn: Turn): Conversation => ({
  ...conversation,
  updatedAt: turn.id,
  turns: [...conversation.turns, turn],
});

/** Without this turn and the later ones, whose costs stay. */
export function dropFrom(conversation: Conversation, turnId: number): Conversation {
  const at = conversation.turns.findIndex(({ id }) => id === turnId);
  if (at < 0) return conversation;
  const dropped = conversation.turns.slice(at).map(({ run }) => withoutTexts(run));
  return { ...conversation, turns: conversation.turns.slice(0, at), replaced: [...conversation.replaced, ...dropped] };
}

const withoutTexts = (run: Run): Run => ({ ...run, text: "", reasoning: "", toolCalls: [] });

/** Its cost is not known yet. */
const mayBeCharged = (run: Run): boolean => isRunning(run) || run.isFinishing || isAbandoned(run);

/**
 * The conversation with the turns that a failed run was to replace. The outcomes of its runs meanwhile stay, and so does the failed run
 * where it may still be charged.
 */
export function restoreTurns(conversation: Conversation, { turns, updatedAt }: Conversation, failed: Run): Conversation {
  const known = new Map(runsOf(conversation).map((run) => [run.id, run]));
  const restored = turns.map((turn): Turn => {
    const { receipt, isFinishing } = known.get(turn.id) ?? turn.run;
    return { ...turn, run: { ...turn.run, receipt, isFinishing } };
  });
  const others = conversation.replaced.filter(({ id }) => !turns.some((turn) => turn.id === id));
  const replaced = mayBeCharged(failed) ? [...others, withoutTexts(failed)] : others;
  return { ...conversation, updatedAt, turns: restored, replaced };
}

/**
 * Without its first turns, which are summed; results go with the calls that they are of, since alone they would be refused. A run that may
 * still be charged is listed until then.
 */
export function foldFirst(conversation: Conversation, count: number): Conversation {
  const isWhole = ({ input }: Turn, index: number) => index >= count && input.kind === "message";
  const whole = conversation.turns.findIndex(isWhole);
  const end = whole < 0 ? count : whole;
  const runs = conversation.turns.slice(0, end).map(({ run }) => withoutTexts(run));
  const left: Conversation = {
    ...conversation,
    title: titleOf(conversation),
    turns: conversation.turns.slice(end),
    replaced: [...runs.filter(mayBeCharged), ...conversation.replaced],
    earlier: { ...conversation.earlier, turns: conversation.earlier.turns + runs.length },
  };
  return withCharges(
    left,
    runs.filter((run) => !mayBeCharged(run)),
  );
}

/** Keeps the newest `most` replaced runs, and sums the others. A run that may still be charged is summed last: its charge is not known yet. */
export function foldReplaced(conversation: Conversation, most: number): Conversation {
  const { replaced } = conversation;
  const count = replaced.length - most;
  if (count <= 0) return conversation;
  const folded = new Set([...replaced.filter((run) => !mayBeCharged(run)), ...replaced.filter(mayBeCharged)].slice(0, count));
  return withCharges({ ...conversation, replaced: replaced.filter((run) => !folded.has(run)) }, [...folded]);
}

/** With the charges of runs that are no longer listed, save those of which another run is. */
function withCharges(conversation: Conversation, runs: readonly Run[]): Conversation {
  const listed = new Set(runsOf(conversation).map(({ requestId }) => requestId));
  const { charged, requestIds } = sumCharges(runs.filter(({ requestId }) => requestId === null || !listed.has(requestId)));
  const { earlier } = conversation;
  return {
    ...conversation,
    earlier: { ...earlier, charged: earlier.charged + charged, receipts: earlier.receipts + requestIds.length },
  };
}

/** The conversation in which one run has changed; the same object where it has no such run. */
export function changeRun(conversation: Conversation, runId: number, changes: Partial<Run>): Conversation {
  const isOf = ({ id }: { id: number }) => id === runId;
  if (conversation.turns.some(isOf)) {
    const turns = conversation.turns.map((turn) => (isOf(turn) ? { ...turn, run: { ...turn.run, ...changes } } : turn));
    return { ...conversation, turns };
  }
  if (!conversation.replaced.some(isOf)) return conversation;
  const { text: _, reasoning: __, toolCalls: ___, ...rest } = changes;
  return { ...conversation, replaced: conversation.replaced.map((run) => (isOf(run) ? { ...run, ...rest } : run)) };
}

export const runsOf = ({ turns, replaced }: Conversation): Run[] => [...replaced, ...turns.map(({ run }) => run)];

export function titleOf({ title, turns }: Conversation): string {
  if (title !== null) return title;
  const first = turns[0]?.input;
  const words = first?.kind === "message" ? first.text.replace(/\s+/g, " ").trim() : "";
  if (words === "") return first ? "Images" : "New chat";
  return words.length <= MAX_TITLE ? words : `${words.slice(0, MAX_TITLE).replace(/\s\S*$/, "")}…`;
}

/** It has something to go on from: later turns send it along. */
export const hasAnswer = ({ run }: Turn): boolean => run.text !== "" || wholeCalls(run).length > 0;

/** The tool calls of a complete answer; those of a stopped one may be cut. */
const wholeCalls = ({ state, toolCalls }: Run): readonly ToolCall[] => (state === "done" ? toolCalls : []);

/** The calls that wait for their results. */
export function openCalls(turns: readonly Turn[]): readonly ToolCall[] {
  const last = turns.at(-1);
  return last && !isRunning(last.run) ? wholeCalls(last.run) : [];
}

/** The messages of these turns, and of the input that follows them. Turns without an answer are left out. */
export function messagesOf(system: string | undefined, turns: readonly Turn[], next: TurnInput | null): ChatMessage[] {
  const inputs = [...turns.filter(hasAnswer).map(({ input, run }) => ({ input, run })), ...(next ? [{ input: next, run: null }] : [])];
  const messages: ChatMessage[] = system === undefined ? [] : [{ role: "system", content: system }];
  for (const [index, { input, run }] of inputs.entries()) {
    messages.push(...inputMessages(input));
    if (!run) continue;
    const after = inputs[index + 1]?.input;
    // Calls without their results are refused: somebody wrote a message in place of them.
    const calls = !next || after?.kind === "results" ? wholeCalls(run) : [];
    if (run.text === "" && calls.length === 0) continue;
    messages.push({
      role: "assistant",
      content: run.text === "" ? null : run.text,
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ id, name, arguments: given }) => ({ id, type: "function", function: { name, arguments: given } })),
      }),
    });
  }
  return messages;
}

function inputMessages(input: TurnInput): ChatMessage[] {
  if (input.kind === "results") return input.results.map(({ callId, output }) => ({ role: "tool", tool_call_id: callId, content: output }));
  const images = input.images.flatMap(({ url }): ContentPart[] => (url === null ? [] : [{ type: "image_url", image_url: { url } }]));
  if (images.length === 0) return [{ role: "user", content: input.text === "" ? "(An image stood here.)" : input.text }];
  return [{ role: "user", content: input.text === "" ? images : [{ type: "text", text: input.text }, ...images] }];
}

export interface ConversationCost {
  /** The sum of the charges, nano-USD. */
  charged: bigint;
  /** How many charges that is the sum of. */
  receipts: number;
  /** Of the charges whose runs are still listed. */
  requestIds: readonly string[];
  /** Runs that may still be charged. */
  open: number;
}

/** Adds what the ledger wrote for each run, kept or not. */
export function costOfConversation(conversation: Conversation): ConversationCost {
  const runs = runsOf(conversation);
  const { earlier } = conversation;
  const { charged, requestIds } = sumCharges(runs);
  return {
    charged: earlier.charged + charged,
    receipts: earlier.receipts + requestIds.length,
    requestIds,
    open: runs.filter((run) => isRunning(run) || run.isFinishing).length,
  };
}

/** Each charge once: a paid run that was sent again is answered from the first, with its request id. */
function sumCharges(runs: readonly Run[]): { charged: bigint; requestIds: readonly string[] } {
  let charged = 0n;
  const requestIds = new Set<string>();
  for (const run of runs) {
    const charge = chargeOf(run);
    if (charge === null || (run.requestId !== null && requestIds.has(run.requestId))) continue;
    charged += charge;
    if (run.requestId !== null) requestIds.add(run.requestId);
  }
  return { charged, requestIds: [...requestIds] };
}
