// What it costs to bring a conversation into its target's shape: microseconds for the one message that the dialects' lane sends, and for the
// longest request of a recorded session of Claude Code. Beside it what reading that session's messages from JSON takes, as a ruler.

import { readFileSync } from "node:fs";
import type { AccountId } from "@/lib/base/ids";
import { runAtOnce } from "@/lib/base/slices";
import { replaySession, sessionSchema } from "@/lib/gateway/contract/testing/session";
import { type GivenMessage, readMessages } from "@/lib/gateway/messages/blocks";
import { ImageReader } from "@/lib/gateway/prompt/images";
import { anthropicCallId } from "@/lib/providers/anthropic/messages";
import { claudeShape } from "@/lib/providers/anthropic/model-rules";
import type { ChatMessage } from "@/lib/providers/conversation/messages";
import { normaliseConversation } from "@/lib/providers/conversation/normalise";
import { shapeRules } from "@/lib/providers/conversation/shape-rules";
import { geminiCallId } from "@/lib/providers/gemini/call-id";
import type { ModelRoute } from "@/lib/providers/model-route";

const claude: ModelRoute = { provider: "anthropic", wireName: "claude-sonnet-5" };
const question: ChatMessage[] = [{ role: "user", content: "What is a nano-dollar, and why would anyone count in it?" }];

/** The messages of the session's longest request, as its client wrote them. */
async function longestMessages(): Promise<GivenMessage[]> {
  const session = sessionSchema.parse(JSON.parse(readFileSync("lib/gateway/contract/sessions/claude-code.json", "utf8")));
  let longest: unknown[] = [];
  await replaySession(withoutAnswers(session), async ({ body }) => {
    const messages = body?.messages as unknown[] | undefined;
    if (messages && messages.length > longest.length) longest = messages;
    return "";
  });
  return longest as GivenMessage[];
}

/** Nothing answers here: thoughts go, and the ids of calls stay numbers. */
const withoutAnswers = (session: ReturnType<typeof sessionSchema.parse>): typeof session =>
  sessionSchema.parse(
    JSON.parse(
      JSON.stringify(session)
        .replaceAll(/\{"type":"thinking"[^}]*\},?/g, "")
        .replaceAll(/"@(\d+)"/g, '"toolu_$1"'),
    ),
  );

/** The median of nine runs, microseconds. */
function microseconds(work: () => unknown, times: number): number {
  const runs = Array.from({ length: 9 }, () => {
    const begun = performance.now();
    for (let time = 0; time < times; time += 1) work();
    return ((performance.now() - begun) * 1_000) / times;
  });
  return runs.toSorted((one, other) => one - other)[4] ?? 0;
}

const given = await longestMessages();
const json = JSON.stringify(given);
const images = new ImageReader(undefined, { routes: [claude] });
const session = runAtOnce(readMessages(given, { accountId: "acc_bench" as AccountId, issues: [], images }));
const claudeRules = claudeShape(claude);
const figures = {
  question: {
    claude: microseconds(() => normaliseConversation(question, claudeRules, anthropicCallId), 100_000),
    gemini: microseconds(() => normaliseConversation(question, shapeRules.gemini, geminiCallId), 100_000),
  },
  session: {
    claude: microseconds(() => normaliseConversation(session, claudeRules, anthropicCallId), 2_000),
    gemini: microseconds(() => normaliseConversation(session, shapeRules.gemini, geminiCallId), 2_000),
    json: microseconds(() => JSON.parse(json), 2_000),
  },
  messages: session.length,
  kilobytes: json.length / 1_000,
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
