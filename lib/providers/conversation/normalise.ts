// A conversation in the shape that its target takes (shape-rules.ts). All texts stay, in their order: results move next to their calls,
// instructions become the user's text where their role may not stand, and parts that a target cannot do without are put in. A conversation
// that has that shape already comes back as it is.

import { hasImages, IMAGES_FOLLOW, withToolImages } from "../image-bound/wire-images";
import { uniqueCalls, type WireCallId } from "./call-ids";
import type { ChatMessage, Content, ContentPart, TextPart } from "./messages";
import type { ShapeRules } from "./shape-rules";

type Messages = readonly ChatMessage[];

/** Stands for a message of the user without any text or image. */
const NO_TEXT = "(no text)";
const OPENING = "(The conversation begins with your message.)";
const CONTINUE = "Continue from where you stopped.";
const RESULTS_READ = "I have read the results.";

/** Tokens that one of the messages above has at most, role and marks included: the bound of a call counts them (token-bound.ts). */
const TOKENS_PER_ADDED = 24;
/** The same of the message in which the images of results follow: no tokenizer makes more of its text than bytes. */
const TOKENS_PER_IMAGE_TURN = IMAGES_FOLLOW.length + TOKENS_PER_ADDED;

export function normaliseConversation(messages: Messages, rules: ShapeRules, wireId: WireCallId): Messages {
  const paired = hasCalls(messages) ? pairCalls(messages, rules, wireId) : messages;
  const filled = rules.refusesBlank ? withoutBlanks(paired) : paired;
  const placed = rules.laterSystem === "anywhere" ? filled : placeSystem(filled, rules.laterSystem);
  const closed = withEnds(placed, rules);
  const merged = rules.mergesTurns ? mergeTurns(closed) : closed;
  return rules.answersResults ? answerResults(merged) : merged;
}

/** The most tokens that any target's rules add to a conversation, beyond what its messages are bounded by. */
export function addedTokens(messages: Messages): number {
  const turns = messages.filter(({ role }) => role !== "system");
  let added = turns[0]?.role === "user" ? 0 : 1;
  let imageTurns = 0;
  if (turns.at(-1)?.role === "assistant") added += 1;
  for (const [index, { role, content }] of messages.entries()) {
    if (role === "user" && isBlank(content)) added += 1;
    if ((role === "user" || role === "system") && isOfCalls(messages[index - 1])) added += 1;
    // One for each result at most, and an answer before it where results need one.
    if (role === "tool" && hasImages(content)) imageTurns += 1;
  }
  return added * TOKENS_PER_ADDED + imageTurns * (TOKENS_PER_IMAGE_TURN + TOKENS_PER_ADDED);
}

const hasCalls = (messages: Messages): boolean => messages.some(isOfCalls);

const isOfCalls = (message: ChatMessage | undefined): boolean =>
  message?.role === "tool" || (message?.role === "assistant" && message.toolCalls !== undefined);

function pairCalls(messages: Messages, rules: ShapeRules, wireId: WireCallId): Messages {
  const paired = uniqueCalls(resultsAfterCalls(messages), rules.callName, wireId);
  return rules.imagesAfterResults ? withToolImages(paired) : paired;
}

/** Results go right behind their calls, and whatever stood between goes behind the results. */
function resultsAfterCalls(messages: Messages): Messages {
  /** For each id the turns whose calls have no result yet, the next of them at `at`. */
  const open = new Map<string, { turns: ChatMessage[]; at: number }>();
  const resultsOf = new Map<ChatMessage, ChatMessage[]>();
  const ordered: ChatMessage[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      const calls = open.get(message.toolCallId);
      const turn = calls?.turns[calls.at];
      if (calls && turn) {
        calls.at += 1;
        resultsOf.get(turn)?.push(message);
        continue;
      }
    }
    if (message.role === "assistant" && message.toolCalls) {
      resultsOf.set(message, []);
      for (const { id } of message.toolCalls) {
        const calls = open.get(id);
        if (calls) calls.turns.push(message);
        else open.set(id, { turns: [message], at: 0 });
      }
    }
    ordered.push(message);
  }
  return ordered.flatMap((message) => [message, ...(resultsOf.get(message) ?? [])]);
}

/** With the separators U+001C to U+001F and U+0085, which Python's strip() removes, too: that is how these texts are checked. */
const isSpace = (code: number): boolean =>
  code === 32 ||
  (code >= 9 && code <= 13) ||
  (code >= 28 && code <= 31) ||
  code === 133 ||
  (code > 133 && /\s/.test(String.fromCharCode(code)));

export function isBlankText(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (!isSpace(text.charCodeAt(index))) return false;
  return true;
}

const isBlank = (content: Content): boolean =>
  typeof content === "string" ? isBlankText(content) : !content.some((part) => part.type === "image" || !isBlankText(part.text));

function withoutBlanks(messages: Messages): Messages {
  if (!messages.some(hasBlank)) return messages;
  return messages.flatMap((message): ChatMessage[] => {
    if (message.role === "tool") return [message];
    if (!isBlank(message.content))
      return [message.role === "assistant" ? message : { ...message, content: withoutBlankParts(message.content) }];
    if (message.role === "user") return [{ role: "user", content: NO_TEXT }];
    return message.role === "assistant" && message.toolCalls?.length ? [message] : [];
  });
}

/** An answer's parts stay, whatever they hold: thoughts are placed by its characters. */
const hasBlank = ({ role, content }: ChatMessage): boolean =>
  role !== "tool" && (isBlank(content) || (role !== "assistant" && withoutBlankParts(content) !== content));

function withoutBlankParts(content: Content): Content {
  if (typeof content === "string") return content;
  const isKept = (part: ContentPart): boolean => part.type === "image" || !isBlankText(part.text);
  return content.every(isKept) ? content : content.filter(isKept);
}

/** Those at the beginning stay. Without any other message the last of them becomes the user's. */
function placeSystem(messages: Messages, where: "after-user" | "nowhere"): Messages {
  const first = messages.findIndex(({ role }) => role !== "system");
  const turns = first === -1 ? Math.max(0, messages.length - 1) : first;
  if (!messages.some(({ role }, index) => role === "system" && index >= turns)) return messages;
  const placed = messages.slice(0, turns);
  for (let index = turns; index < messages.length; index += 1) {
    const message = messages[index] as ChatMessage;
    if (message.role !== "system") {
      placed.push(message);
      continue;
    }
    const run = [message];
    for (let next = messages[index + 1]; next?.role === "system"; next = messages[index + 1]) {
      run.push(next);
      index += 1;
    }
    placed.push(...placeRun(run, where, placed.at(-1), messages[index + 1]));
  }
  return placed;
}

type SystemMessage = Extract<ChatMessage, { role: "system" | "user" }>;

/** "Consecutive system messages are not allowed": platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages. */
function placeRun(
  run: readonly SystemMessage[],
  where: "after-user" | "nowhere",
  before: ChatMessage | undefined,
  after: ChatMessage | undefined,
): ChatMessage[] {
  const followsUser = before?.role === "user" || before?.role === "tool";
  const mayStand = where === "after-user" && followsUser && (after === undefined || after.role === "assistant");
  if (!mayStand) return run.map(({ content }) => ({ role: "user", content }));
  return [{ role: "system", content: run.length === 1 && run[0] ? run[0].content : run.flatMap(({ content }) => partsOf(content)) }];
}

const partsOf = (content: Content): readonly ContentPart[] => (typeof content === "string" ? [{ type: "text", text: content }] : content);

function withEnds(messages: Messages, rules: ShapeRules): Messages {
  const opened = rules.opensWithUser ? openWithUser(messages) : messages;
  const last = opened.at(-1);
  if (last?.role !== "assistant") return opened;
  if (rules.endsWithUser) return [...opened, { role: "user", content: CONTINUE }];
  return rules.trimsLastAnswer ? [...opened.slice(0, -1), { ...last, content: trimEnd(last.content) }] : opened;
}

function openWithUser(messages: Messages): Messages {
  const first = messages.findIndex(({ role }) => role !== "system");
  const turns = first === -1 ? messages.length : first;
  if (messages[turns]?.role === "user") return messages;
  return [...messages.slice(0, turns), { role: "user", content: OPENING }, ...messages.slice(turns)];
}

function trimEnd(content: Content): Content {
  if (typeof content === "string") return withoutSpaceAtEnd(content);
  const last = content.findLastIndex((part) => part.type === "text" && !isBlankText(part.text));
  return content.slice(0, last + 1).map((part, index) => (index === last && part.type === "text" ? trimPart(part) : part));
}

const trimPart = (part: TextPart): TextPart => ({ ...part, text: withoutSpaceAtEnd(part.text) });

function withoutSpaceAtEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** "Conversation roles must alternate": calls and results stay apart. */
function mergeTurns(messages: Messages): Messages {
  const isSecond = (index: number): boolean => {
    const [before, message] = [messages[index - 1], messages[index]];
    return message !== undefined && message.role === before?.role && (message.role === "user" || message.role === "assistant");
  };
  if (!messages.some((_, index) => isSecond(index))) return messages;
  const merged: ChatMessage[] = [];
  let run: Content[] = [];
  for (const [index, message] of messages.entries()) {
    run.push(message.content);
    if (isSecond(index + 1)) continue;
    merged.push(run.length === 1 ? message : ({ ...message, content: joined(run) } as ChatMessage));
    run = [];
  }
  return merged;
}

/** A whole run at once: message by message, each step would copy all that was joined before. */
const joined = (contents: readonly Content[]): Content =>
  contents.some(hasImages)
    ? contents.flatMap(partsOf)
    : contents
        .map(textOf)
        .filter((text) => text !== "")
        .join("\n\n");

const textOf = (content: Content): string =>
  partsOf(content)
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("\n\n");

function answerResults(messages: Messages): Messages {
  const isUnanswered = ({ role }: ChatMessage, index: number): boolean => role === "user" && messages[index - 1]?.role === "tool";
  if (!messages.some(isUnanswered)) return messages;
  return messages.flatMap((message, index): ChatMessage[] =>
    isUnanswered(message, index) ? [{ role: "assistant", content: RESULTS_READ }, message] : [message],
  );
}
