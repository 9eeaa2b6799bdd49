// A conversation as a file: JSON with everything that is known of it, or Markdown to read.

import { usdText } from "@/lib/base/money";
import { type Conversation, costOfConversation, type Turn, titleOf } from "../chat/conversation";
import { chargeOf } from "../cost-lines";

/** Amounts are USD, as text: a number of JSON would lose digits. */
export function exportJson(conversation: Conversation): string {
  const { charged, requestIds } = costOfConversation(conversation);
  const { earlier } = conversation;
  return `${JSON.stringify(
    {
      title: titleOf(conversation),
      updatedAt: new Date(conversation.updatedAt).toISOString(),
      chargedUsd: usdText(charged),
      receipts: requestIds,
      // Turns and runs that the browser no longer keeps: their charges are in `chargedUsd`.
      earlier:
        earlier.receipts > 0 || earlier.turns > 0 ? { ...earlier, charged: undefined, chargedUsd: usdText(earlier.charged) } : undefined,
      turns: conversation.turns.map(exportTurn),
    },
    null,
    2,
  )}\n`;
}

function exportTurn({ options, input, run, isCut }: Turn) {
  const charge = chargeOf(run);
  return {
    at: new Date(run.id).toISOString(),
    options,
    input: input.kind === "message" ? { ...input, images: input.images.map(({ name }) => name) } : input,
    answer: { state: run.state, text: run.text, reasoning: run.reasoning || undefined, toolCalls: run.toolCalls },
    problem: run.problem?.message,
    requestId: run.requestId,
    chargedUsd: charge === null ? null : usdText(charge),
    isCut,
  };
}

export function exportMarkdown(conversation: Conversation): string {
  const { charged, receipts } = costOfConversation(conversation);
  const count = receipts === 1 ? "1 receipt" : `${receipts} receipts`;
  const system = conversation.turns.at(-1)?.options.system;
  return [
    `# ${titleOf(conversation)}`,
    `Charged: $${usdText(charged)} (${count})`,
    ...(system === undefined ? [] : ["## System", system]),
    ...conversation.turns.flatMap(markdownTurn),
    "",
  ].join("\n\n");
}

function markdownTurn({ options, input, run }: Turn): string[] {
  const asked =
    input.kind === "message"
      ? [...input.images.map(({ name }) => `(Image: ${name})`), input.text]
      : input.results.map(({ name, output }) => `Result of ${name}:\n\n${fenced(output)}`);
  const calls = run.toolCalls.map((call) => `Calls ${call.name}:\n\n${fenced(call.arguments)}`);
  const problem = run.problem ? [`(${run.problem.message})`] : [];
  return ["## You", ...asked, `## ${options.model}`, run.text, ...calls, ...problem].filter((part) => part !== "");
}

/** In a fence that is longer than any in it. */
function fenced(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** A name that every system takes. */
export const fileName = (conversation: Conversation, extension: "json" | "md"): string => {
  const words = titleOf(conversation)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 50);
  return `${words || "conversation"}.${extension}`;
};

/** Hands a text to the browser as a download. */
export function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Browsers begin to read it later.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
