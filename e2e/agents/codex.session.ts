// Codex, the real program, in sessions as people have them. With models that it knows, it writes JavaScript that calls its tools; others get
// the tools themselves.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { filler } from "@/lib/gateway/contract/testing/session";
import { type Agent, openAgent, type Turn } from "./agent";

let agent: Agent;
beforeEach(async () => {
  agent = await openAgent("Codex");
});
afterEach(() => agent.stop());

const eventSchema = z.looseObject({
  type: z.string(),
  thread_id: z.string().optional(),
  item: z.looseObject({ type: z.string(), text: z.string().optional(), message: z.string().optional() }).optional(),
});

interface Setup {
  model: string;
  /** Lines of config.toml. */
  settings?: readonly string[];
  /** As OpenAI's own, at another address; otherwise a provider of its own, as the docs say. */
  isOpenAi?: boolean;
}

function configure({ model, settings = [], isOpenAi = false }: Setup): void {
  const own = ['model_provider = "pennyprompt"'];
  const provider = [
    "[model_providers.pennyprompt]",
    'name = "PennyPrompt"',
    `base_url = "${agent.url}/api/v1"`,
    'wire_api = "responses"',
    "supports_websockets = false",
    'env_key = "PENNYPROMPT_API_KEY"',
  ];
  const lines = isOpenAi ? [`openai_base_url = "${agent.url}/api/v1"`] : own;
  const folder = join(agent.home, ".codex");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.toml"), [`model = "${model}"`, ...lines, ...settings, ...(isOpenAi ? [] : provider), ""].join("\n"));
}

interface Asked {
  what: string;
  prompt: string;
  images?: readonly string[];
  thread?: string | undefined;
  /** The turn ends with this error. */
  failure?: RegExp;
}

/** What Codex says of models that it does not know; it is its own. */
const itsOwnWarning = /^Model metadata for `.*` not found/;

async function take({ what, prompt, images = [], thread, failure }: Asked): Promise<Turn & { thread: string }> {
  const command = ["exec", ...(thread === undefined ? [] : ["resume", thread])];
  const flags = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
  const pictures = images.flatMap((image) => ["-i", image]);
  const keys = { PENNYPROMPT_API_KEY: agent.key, OPENAI_API_KEY: agent.key, CODEX_API_KEY: agent.key };
  const ended = await agent.run("codex", [...command, ...flags, ...pictures, "-"], keys, prompt);
  const events = ended.stdout.split("\n").flatMap((line) => (line.startsWith("{") ? [eventSchema.parse(JSON.parse(line))] : []));
  const errors = events.flatMap(({ item }) => (item?.type === "error" && !itsOwnWarning.test(item.message ?? "") ? [item.message] : []));
  expect({ code: ended.code, errors, ended }).toMatchObject({ code: failure ? 1 : 0, errors: [] });
  expect(events.map(({ type }) => type)).toContain(failure ? "turn.failed" : "turn.completed");
  if (failure) expect(ended.stdout).toMatch(failure);
  const answer = events.findLast(({ item }) => item?.type === "agent_message")?.item?.text ?? "";
  const id = events.find(({ thread_id }) => thread_id !== undefined)?.thread_id ?? thread ?? "";
  return { ...agent.keep(what, answer), thread: id };
}

const calling = (words: string, tool: string, args: string): string => `${words} [[simulate: tool=${tool} args=${JSON.stringify(args)}]]`;

/** A command, as a model that writes JavaScript calls it. */
const script = (cmd: string): string => `const r = await tools.exec_command(${JSON.stringify({ cmd })}); text(r.output)`;

const postsOf = ({ exchanges }: Turn) => exchanges.filter(({ method }) => method === "POST");
const statusesOf = (turn: Turn): number[] => postsOf(turn).map(({ status }) => status);
const itemsOf = (turn: Turn): number =>
  z.object({ input: z.array(z.unknown()) }).parse(JSON.parse(postsOf(turn).at(-1)?.body ?? "{}")).input.length;

test("twenty turns with tools, reasoning, pictures and a compaction, each in a process of its own", async () => {
  configure({ model: "gpt-6-sol" });
  const first = await take({ what: "a question", prompt: "What is a nano-dollar?" });
  const { thread } = first;
  const ask = (what: string, prompt: string, images?: readonly string[]) => take({ what, prompt, thread, images });
  const runs = async (what: string, cmd: string, answer: string, more = "") => {
    const turn = await ask(what, `${calling("Do it.", "exec", script(cmd))}${more}`);
    expect(turn.answer).toContain(answer);
    expect(statusesOf(turn)).toEqual([200, 200]);
    return turn;
  };
  await runs("a command", "ls", "README.md");
  await runs("a file read", "cat README.md", "It has a readme");
  await ask("reasoning", "Think about it. [[simulate: reasoning=60]]");
  await runs("a file written", "printf 'one\\ntwo\\n' > note.txt && ls", "note.txt");
  await runs("a command after reasoning", "cat note.txt", "two", " [[simulate: reasoning=30]]");
  await runs("a command that fails", "ls missing", "missing");
  const patch = "*** Begin Patch\n*** Update File: note.txt\n@@\n-two\n+three\n*** End Patch\n";
  await ask("a patch", calling("Change it.", "exec", `text(await tools.apply_patch(${JSON.stringify(patch)}))`));
  await runs("the patched file", "cat note.txt", "three");
  await runs("a long result", "seq 1 3000", "1 2 3");
  await ask("a picture in the prompt", "And this picture?", ["picture.png"]);
  await ask("text after a picture", "Go on.");
  await runs("a command after a picture", "pwd", "project");
  const before = await ask("before compaction", "One more.");
  configure({ model: "gpt-6-sol", settings: ["model_auto_compact_token_limit = 12000"] });
  const compacted = await ask("compaction on its own", "Go on, shorter.");
  expect(statusesOf(compacted).every((status) => status === 200)).toBe(true);
  expect(itemsOf(compacted)).toBeLessThan(itemsOf(before));
  configure({ model: "gpt-6-sol" });
  await runs("a command after compaction", "ls", "note.txt");
  await ask("reasoning after compaction", "Think again. [[simulate: reasoning=80]]");
  await runs("a command with reasoning", "pwd", "project", " [[simulate: reasoning=20]]");
  await ask("a plan", "What is left?");
  await ask("the end", "Thank you.");
  expect(agent.turns).toHaveLength(20);
  expect(agent.turns.flatMap(statusesOf).filter((status) => status !== 200)).toEqual([]);
  await agent.close("codex");
});

const part = (number: number) => `${filler(135_000)} That was part ${number}.`;

test("a full context: Codex, told the model's window, compacts before it is full, and goes on", async () => {
  configure({ model: "gpt-4o-mini", settings: ["model_context_window = 128000"] });
  const { thread } = await take({ what: "part 1", prompt: part(1) });
  for (const number of [2, 3, 4]) await take({ what: `part ${number}`, prompt: part(number), thread });
  await take({ what: "part 5, beyond nine tenths", prompt: part(5), thread });
  const listed = await take({ what: "a command", prompt: calling("List.", "exec_command", '{"cmd":"ls"}'), thread });
  expect(listed.answer).toContain("README.md");
  const sizes = agent.turns.flatMap(postsOf).map(({ body }) => body.length);
  expect(sizes.some((size, index) => size < (sizes[index - 1] ?? 0) / 2)).toBe(true);
  expect(agent.turns.flatMap(statusesOf).filter((status) => status !== 200)).toEqual([]);
  await agent.close("codex-full");
});

test("a window smaller than Codex assumes: it knows the refusal, and says so in its own words", async () => {
  configure({ model: "gpt-4o-mini" });
  const { thread } = await take({ what: "four parts at once", prompt: [1, 2, 3, 4].map(part).join("\n").slice(0, 480_000) });
  await take({ what: "too much", prompt: part(5), thread, failure: /ran out of room in the model's context window/ });
  await agent.close("codex-overflow");
});

test.each(["gpt-5.4", "claude-sonnet-5", "gemini-3.5-flash", "deepseek-v4-pro"])("tools, reasoning and pictures with %s", async (model) => {
  configure({ model });
  const list = calling("List.", "exec_command", '{"cmd":"ls"}');
  const { thread, answer } = await take({ what: "a command", prompt: list });
  expect(answer).toContain("README.md");
  const thought = await take({ what: "a command after reasoning", prompt: `${list} [[simulate: reasoning=40]]`, thread });
  expect(thought.answer).toContain("README.md");
  const view = calling("Look.", "view_image", JSON.stringify({ path: join(agent.project, "picture.png") }));
  await take({ what: "a picture that a tool reads", prompt: view, thread });
  await take({ what: "the end", prompt: "Thank you.", thread });
  expect(agent.turns.flatMap(statusesOf).filter((status) => status !== 200)).toEqual([]);
  await agent.close(`codex-${model}`);
});

test("OpenAI's own provider at another address: a turn with a tool, no websocket, and OpenAI's compaction", async () => {
  const own = { model: "gpt-6-sol", isOpenAi: true };
  configure(own);
  const { thread, answer } = await take({ what: "a long result", prompt: calling("Count.", "exec", script("seq 1 4000")) });
  expect(answer).toContain("1 2 3");
  // Above what Codex says in every request: else it would compact for ever.
  configure({ ...own, settings: ["model_auto_compact_token_limit = 15000"] });
  const compacted = await take({ what: "compaction on its own", prompt: "Go on. [[simulate: tokens=40]]", thread });
  expect(compacted.exchanges.map(({ body }) => body).join("\n")).toContain("compaction_trigger");
  configure(own);
  const after = await take({ what: "a command after it", prompt: calling("List.", "exec", script("ls")), thread });
  expect(after.answer).toContain("README.md");
  expect(after.exchanges.at(-1)?.body).toContain('"type":"compaction"');
  expect(agent.turns.flatMap(statusesOf).filter((status) => status !== 200)).toEqual([]);
  await agent.close("codex-openai");
});
