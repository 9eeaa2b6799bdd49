// Claude Code, the real program, in sessions as people have them.

import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { png } from "@/lib/gateway/contract/testing/pictures";
import { filler } from "@/lib/gateway/contract/testing/session";
import { type Agent, openAgent, type Turn } from "./agent";

let agent: Agent;
beforeEach(async () => {
  agent = await openAgent("Claude Code");
});
afterEach(() => agent.stop());

const resultSchema = z.object({ is_error: z.boolean(), result: z.string(), session_id: z.string() });

const environment = (model: string): Record<string, string> => ({
  ANTHROPIC_BASE_URL: `${agent.url}/api`,
  ANTHROPIC_AUTH_TOKEN: agent.key,
  ANTHROPIC_MODEL: model,
  ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
});

const allowed = ["--allowedTools", "Bash", "Read", "Write", "Edit", "TaskCreate"];

interface Asked {
  model: string;
  what: string;
  prompt: string;
  /** In its place: lines of JSON for `--input-format stream-json`. */
  lines?: object[];
  session?: string | undefined;
}

/** One turn, which ends without an error. Resolves with it and the session that it belongs to. */
async function take({ model, what, prompt, lines, session }: Asked): Promise<Turn & { session: string }> {
  const resumed = session === undefined ? [] : ["--resume", session];
  const streamed = lines === undefined ? [] : ["--input-format", "stream-json", "--verbose"];
  const format = ["--output-format", lines === undefined ? "json" : "stream-json"];
  const input = lines === undefined ? prompt : lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const ended = await agent.run("claude", ["-p", ...resumed, ...streamed, ...format, ...allowed], environment(model), input);
  expect(ended).toMatchObject({ code: 0 });
  const last = ended.stdout.trim().split("\n").at(-1) ?? "";
  const result = resultSchema.parse(JSON.parse(last));
  expect(result).toMatchObject({ is_error: false });
  return { ...agent.keep(what, result.result), session: result.session_id };
}

/** A prompt whose answer calls a tool. */
const calling = (words: string, tool: string, args: object): string =>
  `${words} [[simulate: tool=${tool} args=${JSON.stringify(JSON.stringify(args))}]]`;

const statusesOf = ({ exchanges }: Turn): number[] => exchanges.filter(({ method }) => method === "POST").map(({ status }) => status);
const messagesOf = ({ exchanges }: Turn): number =>
  z.object({ messages: z.array(z.unknown()) }).parse(JSON.parse(exchanges.at(-1)?.body ?? "{}")).messages.length;

test("twenty turns with tools, thinking, pictures and a compaction, each in a process of its own", async () => {
  const model = "claude-sonnet-5";
  const first = await take({ model, what: "a question", prompt: "What is a nano-dollar?" });
  const { session } = first;
  const ask = (what: string, prompt: string) => take({ model, what, prompt, session });
  const uses = async (what: string, prompt: string, answer: string) => {
    const turn = await ask(what, prompt);
    expect(turn.answer).toContain(answer);
    expect(statusesOf(turn)).toEqual([200, 200]);
    return turn;
  };
  const place = (name: string) => `${agent.project}/${name}`;
  await uses("Bash", calling("List the files.", "Bash", { command: "ls", description: "List files" }), "README.md");
  await uses("Read", calling("Read the readme.", "Read", { file_path: place("README.md") }), "It has a readme");
  await ask("thinking", "Think about it. [[simulate: reasoning=60]]");
  await uses("Write", calling("Write a note.", "Write", { file_path: place("note.txt"), content: "one\ntwo\n" }), "note.txt");
  await uses(
    "Edit, after thinking",
    `${calling("Change it.", "Edit", { file_path: place("note.txt"), old_string: "two", new_string: "three" })} [[simulate: reasoning=30]]`,
    "note.txt",
  );
  await uses("Bash that fails", calling("Fail.", "Bash", { command: "ls missing", description: "Fail" }), "missing");
  await uses("two calls at once", calling("Twice.", "Bash,Bash", { command: "cat note.txt", description: "Show" }), "three");
  await uses("Read of a picture", calling("Look.", "Read", { file_path: place("picture.png") }), "The function said");
  await uses("TaskCreate", calling("Plan.", "TaskCreate", { subject: "A task", description: "To be done" }), "task");
  await uses("a long result", calling("Count.", "Bash", { command: "seq 1 3000", description: "Count" }), "1 2 3");
  const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: png(32, 32) } };
  const content = [{ type: "text", text: "And this picture?" }, picture];
  const line = { type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: session };
  await take({ model, what: "a picture in the prompt", prompt: "", lines: [line], session });
  await ask("text after pictures", "Go on.");
  const before = await ask("before compaction", "One more.");
  const compacted = await ask("/compact", "/compact");
  expect(statusesOf(compacted)).toEqual([200]);
  const after = await uses("Bash after compaction", calling("List again.", "Bash", { command: "ls", description: "List" }), "note.txt");
  expect(messagesOf(after)).toBeLessThan(messagesOf(before));
  await ask("thinking after compaction", "Think again. [[simulate: reasoning=80]]");
  await uses(
    "Bash with thinking",
    `${calling("Once more.", "Bash", { command: "pwd", description: "Where" })} [[simulate: reasoning=20]]`,
    "project",
  );
  await ask("a stop sequence in words", "Say </end> and stop.");
  await ask("the end", "Thank you.");
  expect(agent.turns).toHaveLength(20);
  expect(agent.turns.flatMap(statusesOf).filter((status) => status !== 200)).toEqual([]);
  await agent.close("claude-code");
});

test("a model with a smaller window than Claude Code assumes: it is told so in words that it heals from, compacts, and goes on", async () => {
  const model = "gpt-4o-mini";
  const part = (number: number) => `${filler(240_000)} That was part ${number}.`;
  const { session } = await take({ model, what: "part 1", prompt: part(1) });
  await take({ model, what: "part 2", prompt: part(2), session });
  const third = await take({ model, what: "part 3, which is too much", prompt: part(3), session });
  expect(statusesOf(third)[0]).toBe(400);
  expect(third.exchanges.find(({ status }) => status === 400)?.answer).toMatch(/prompt is too long: \d+ tokens > 128000 maximum/);
  expect(statusesOf(third).at(-1)).toBe(200);
  const listed = await take({ model, what: "Bash", prompt: calling("List.", "Bash", { command: "ls", description: "List" }), session });
  expect(listed.answer).toContain("README.md");
  await agent.close("claude-code-full");
});

test.each(["gpt-6-sol", "gemini-3.5-flash", "deepseek-v4-pro"])("tools, thinking and pictures with %s", async (model) => {
  const listed = await take({ model, what: "Bash", prompt: calling("List.", "Bash", { command: "ls", description: "List" }) });
  expect(listed.answer).toContain("README.md");
  const { session } = listed;
  const thought = `${calling("Think.", "Bash", { command: "pwd", description: "Where" })} [[simulate: reasoning=40]]`;
  expect((await take({ model, what: "Bash after thinking", prompt: thought, session })).answer).toContain("project");
  await take({
    model,
    what: "Read of a picture",
    prompt: calling("Look.", "Read", { file_path: `${agent.project}/picture.png` }),
    session,
  });
  await take({ model, what: "the end", prompt: "Thank you.", session });
  expect(agent.turns.flatMap(statusesOf).filter((status) => status !== 200)).toEqual([]);
  await agent.close(`claude-code-${model}`);
});
