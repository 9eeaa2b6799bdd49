// What a provider gets of a compaction: the conversation as in its other turns, so that its cache knows it, and the request for a summary behind
// it; and of the turns after it, the summary in its place.

import { expect, test } from "vitest";
import { openAccount, type TestAccount } from "./testing/accounts";
import { expectPaid, expectUncharged } from "./testing/books";
import { openCompatibleHost, whole } from "./testing/compatible-host";

const { answers, lastSent, standInFor, respond } = await openCompatibleHost();

const tool = { type: "function", name: "run", parameters: { type: "object", properties: { cmd: { type: "string" } } } };
const said = (content: string) => ({ type: "message", role: "user", content });
const conversation = [
  said("Rename FILE-42."),
  { type: "function_call", call_id: "call_1", name: "run", arguments: "{}" },
  { type: "function_call_output", call_id: "call_1", output: "a.ts" },
  { type: "message", role: "assistant", content: "One file has it." },
];
const trigger = { type: "compaction_trigger" };
const usual = { model: "deepseek-flash", instructions: "You are a coding agent.", tools: [tool], reasoning: { effort: "high" } };

async function sentFor(
  account: Pick<TestAccount, "key">,
  fields: object,
): Promise<{ sent: ReturnType<typeof lastSent>; output: object[] }> {
  const answer = await respond(account, { ...usual, ...fields });
  expect(answer.status, answer.text).toBe(200);
  return { sent: lastSent(), output: (JSON.parse(answer.text) as { output: object[] }).output };
}

test("a summary is asked for at the end of the same call, without a forced tool or a JSON format, and stands in its place later", async () => {
  standInFor("deepseek");
  answers(whole({ content: "FILE-42 stands in a.ts." }));
  const account = await openAccount();
  const { sent: turn } = await sentFor(account, { input: [...conversation, said("Go on.")] });
  const schema = { type: "object", properties: { sky: { type: "string" } }, required: ["sky"], additionalProperties: false };
  const forced = { tool_choice: "required", text: { format: { type: "json_schema", name: "sky", schema } } };
  const { sent, output } = await sentFor(account, { input: [...conversation, trigger], ...forced });
  expect(sent.messages.slice(0, -1)).toEqual(turn.messages.slice(0, -1));
  expect(sent.messages.at(-1)).toMatchObject({ role: "user", content: expect.stringContaining("Summarize this conversation now.") });
  const { messages: _, ...settings } = sent;
  const { messages: _m, ...usualSettings } = turn;
  expect(settings).toEqual(usualSettings);

  expect(output).toMatchObject([{ type: "compaction" }]);
  const { sent: later } = await sentFor(account, { input: [said("Rename FILE-42."), ...output, said("Go on.")] });
  const text = later.messages.map(({ role, content }) => `${role}: ${content}`).join("\n");
  expect(text).toMatch(/user: Rename FILE-42\..*Summary of the conversation up to here:\n\nFILE-42 stands in a\.ts\..*Go on\./s);
  // A summary repeats what tools said: as system text it would speak for the operator.
  expect(later.messages.filter(({ role }) => role === "system")).toEqual([{ role: "system", content: usual.instructions }]);
  await expectPaid(account);
});

// Recorded with Codex 0.171 and `openai_base_url`: no tools and no instructions beside the input, and this order of items.
test("Codex's Responses Lite: tools in the input stay with the call, and an earlier summary is summarized with the rest", async () => {
  standInFor("deepseek");
  answers(whole({ content: "FILE-42 stands in a.ts." }));
  const account = await openAccount();
  const lite = {
    tools: undefined,
    instructions: undefined,
    reasoning: { effort: "medium", context: "all_turns" },
    text: { verbosity: "low" },
  };
  const opening = [
    { type: "additional_tools", role: "developer", tools: [{ type: "namespace", name: "functions", description: "", tools: [tool] }] },
    { type: "message", role: "developer", content: "You are a coding agent." },
    said("<environment_context>\n  <cwd>/repo</cwd>\n</environment_context>"),
  ];
  const { output } = await sentFor(account, { ...lite, input: [...opening, ...conversation, trigger] });
  const next = [...opening, said("Rename FILE-42."), ...output, said("Go on.")];
  const { sent } = await sentFor(account, { ...lite, input: [...next, { type: "message", role: "assistant", content: "Done." }, trigger] });
  expect(sent).toMatchObject({ tools: [{ function: { name: "run" } }], messages: expect.arrayContaining([expect.anything()]) });
  expect(JSON.stringify(sent.messages)).toMatch(/FILE-42 stands in a\.ts\..*Done\..*Summarize this conversation now\./);
  await expectPaid(account);
});

// ResponseConfigurationUpdateItemParam of the openai package 7.57; an item of Codex 0.171, too.
test("configuration_update changes the effort and the format of what follows, and a later one wins", async () => {
  standInFor("deepseek");
  answers(whole({ content: '{"sky":"blue"}' }));
  const account = await openAccount();
  const update = (fields: object) => ({ type: "configuration_update", id: "cu_1", ...fields });
  const { sent: usualTurn } = await sentFor(account, { input: conversation });
  expect(usualTurn).toMatchObject({ thinking: { type: "enabled" }, reasoning_effort: "high" });
  const off = update({ reasoning: { effort: "none" } });
  const json = update({ text: { format: { type: "json_schema", name: "sky", schema: { type: "object", properties: {} } } } });
  const { sent } = await sentFor(account, { input: [said("Hi"), update({ reasoning: { effort: "max" } }), json, off, said("Go on")] });
  expect(sent).toMatchObject({ thinking: { type: "disabled" } });
  expect(JSON.stringify(sent.messages)).toContain("JSON");
  const plain = update({ text: { format: { type: "text" } } });
  const { sent: text } = await sentFor(account, { input: [said("Hi"), json, plain, said("Go on")] });
  expect(JSON.stringify(text.messages)).not.toContain("JSON");
  for (const [fields, param] of [
    [{ reasoning: { effort: "huge" } }, "input.1.reasoning.effort"],
    [{ text: { format: { type: "xml" } } }, "input.1.text.format"],
  ] as const) {
    const answer = await respond(account, { ...usual, input: [said("Hi"), update(fields), said("Go on")] });
    expect([answer.status, JSON.parse(answer.text).error.param]).toEqual([400, expect.stringContaining(param)]);
  }
});

test.each([
  ["before other items", [said("Hi"), trigger, said("More")], "input.1", "must be the final input item"],
  ["twice", [said("Hi"), trigger, trigger], "input.1", "must be the final input item"],
  ["alone", [trigger], "input.0", "needs a conversation before it"],
  ["behind a setting alone", [{ type: "configuration_update" }, trigger], "input.1", "needs a conversation before it"],
  ["behind what a hosted tool left", [{ type: "web_search_call" }, trigger], "input.1", "needs a conversation before it"],
])("a trigger %s is refused", async (_, input, param, words) => {
  const account = await openAccount();
  const { status, text } = await respond(account, { model: "gpt-6-sol", input });
  const { error } = JSON.parse(text) as { error: object };
  expect([status, error]).toEqual([400, expect.objectContaining({ param, message: expect.stringContaining(words) })]);
  await expectUncharged(account);
});
