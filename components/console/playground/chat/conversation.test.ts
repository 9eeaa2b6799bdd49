// Conversations: what each turn sends, what is edited and asked again, and what it cost.

import { expect, test } from "vitest";
import { newRun, type Run } from "../run";
import { countTextBytes, type TurnOptions, writeBody } from "./body";
import {
  addTurn,
  type Conversation,
  changeRun,
  costOfConversation,
  dropFrom,
  foldFirst,
  foldReplaced,
  messagesOf,
  newConversation,
  openCalls,
  restoreTurns,
  runsOf,
  type Turn,
  type TurnInput,
  titleOf,
} from "./conversation";

const options: TurnOptions = { model: "grok", system: "Be brief.", maxTokens: 5 };
const terms = { ceiling: 100n, price: { inputPrice: "1", outputPrice: "1" }, whenLeft: "cut" } as const;
const message = (text: string): TurnInput => ({ kind: "message", text, images: [] });
const runOf = (id: number, changes: Partial<Run> = {}): Run => ({
  ...newRun(id, { model: "grok", prompt: "" }, terms),
  state: "done",
  text: `answer ${id}`,
  requestId: `req_${id}`,
  receipt: { inputTokens: 1, outputTokens: 2, inputCost: 9_007_199_254_740_993n, outputCost: 1n, lines: [], borne: 0n },
  ...changes,
});
const turn = (id: number, input: TurnInput, changes: Partial<Run> = {}): Turn => ({ id, options, input, run: runOf(id, changes) });
const of = (...turns: Turn[]): Conversation => turns.reduce(addTurn, newConversation("c", 0));

test("a turn is sent with everything before it, the system message first", () => {
  const { turns } = of(turn(1, message("one")), turn(2, message("two")));
  expect(messagesOf("Be brief.", turns, message("three"))).toEqual([
    { role: "system", content: "Be brief." },
    { role: "user", content: "one" },
    { role: "assistant", content: "answer 1" },
    { role: "user", content: "two" },
    { role: "assistant", content: "answer 2" },
    { role: "user", content: "three" },
  ]);
});

test("a stopped answer is sent as far as it came; one that failed without a word is left out with its question", () => {
  const { turns } = of(turn(1, message("one"), { state: "stopped", text: "half" }), turn(2, message("two"), { state: "failed", text: "" }));
  expect(messagesOf(undefined, turns, message("three"))).toEqual([
    { role: "user", content: "one" },
    { role: "assistant", content: "half" },
    { role: "user", content: "three" },
  ]);
});

test("images go with their turn as the API takes them, and no longer once they are lost", () => {
  const images = [{ name: "a.png", url: "data:image/png;base64,AA==" }];
  expect(messagesOf(undefined, [], { kind: "message", text: "What is it?", images })).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: "What is it?" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
      ],
    },
  ]);
  const lost = { kind: "message", text: "What is it?", images: [{ name: "a.png", url: null }] } as const;
  expect(messagesOf(undefined, [], lost)).toEqual([{ role: "user", content: "What is it?" }]);
});

const calls = [
  { id: "call_1", name: "get_weather", arguments: '{"city":"Oslo"}' },
  { id: "call_2", name: "get_time", arguments: "{}" },
];
const results: TurnInput = {
  kind: "results",
  results: calls.map(({ id, name }) => ({ callId: id, name, output: `of ${name}` })),
};

test("results follow the calls that they are of; calls that a message follows are not sent, since they would be refused", () => {
  const { turns } = of(turn(1, message("Weather?"), { text: "", toolCalls: calls, finish: "tool_calls" }));
  expect(openCalls(turns)).toEqual(calls);
  expect(messagesOf(undefined, turns, results)).toEqual([
    { role: "user", content: "Weather?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } },
        { id: "call_2", type: "function", function: { name: "get_time", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "call_1", content: "of get_weather" },
    { role: "tool", tool_call_id: "call_2", content: "of get_time" },
  ]);
  expect(messagesOf(undefined, turns, message("Never mind"))).toEqual([
    { role: "user", content: "Weather?" },
    { role: "user", content: "Never mind" },
  ]);
});

test("the calls of a stopped answer may be cut, and wait for nothing", () => {
  expect(openCalls(of(turn(1, message("x"), { state: "stopped", toolCalls: calls })).turns)).toEqual([]);
  expect(openCalls(of(turn(1, message("x"), { state: "writing", toolCalls: calls })).turns)).toEqual([]);
});

test("editing drops a turn and the later ones, and what they cost stays", () => {
  const before = of(
    turn(1, message("one")),
    turn(2, message("two")),
    turn(3, message("three"), { state: "stopped", receipt: null, isFinishing: true }),
  );
  const after = dropFrom(before, 2);
  expect(after.turns.map(({ id }) => id)).toEqual([1]);
  expect(after.replaced.map(({ id, text }) => [id, text])).toEqual([
    [2, ""],
    [3, ""],
  ]);
  expect(costOfConversation(after)).toEqual({ charged: 2n * 9_007_199_254_740_994n, receipts: 2, requestIds: ["req_2", "req_1"], open: 1 });
  // The charge of a run that goes on at its provider arrives after its turn is gone.
  const charged = changeRun(after, 3, { isFinishing: false, text: "late", receipt: runOf(3).receipt });
  expect(costOfConversation(charged)).toMatchObject({ charged: 3n * 9_007_199_254_740_994n, open: 0 });
  expect(runsOf(charged).find(({ id }) => id === 3)?.text).toBe("");
  expect(dropFrom(before, 99)).toBe(before);
  expect(changeRun(before, 99, { text: "x" })).toBe(before);
});

test("a charge that came with a failure counts, and an open run is no charge", () => {
  const problem = {
    ...{ code: "INTERNAL_ERROR", reason: "x", message: "It failed.", requestId: null, deficit: null },
    ...{ affordableMaxTokens: null, retryAfterMs: null, cost: 7n },
  };
  const conversation = of(
    turn(1, message("one"), { state: "failed", receipt: null, problem }),
    turn(2, message("two"), { state: "writing", receipt: null }),
  );
  expect(costOfConversation(conversation)).toEqual({ charged: 7n, receipts: 1, requestIds: ["req_1"], open: 1 });
});

const CHARGE = 9_007_199_254_740_994n;

test("turns that are no longer kept stay in the cost, exactly; one whose charge is awaited is listed until it has come", () => {
  const left = { state: "stopped", receipt: null } as const;
  const before = of(turn(1, message("one")), turn(2, message("two"), left), turn(3, message("three")), turn(4, message("four")));
  const after = foldFirst(foldFirst(before, 2), 1);
  expect(after.turns.map(({ id }) => id)).toEqual([4]);
  expect(after.earlier).toEqual({ turns: 3, charged: 2n * CHARGE, receipts: 2 });
  expect(after.replaced.map(({ id, text }) => [id, text])).toEqual([[2, ""]]);
  expect(titleOf(after)).toBe("one");
  expect(costOfConversation(after)).toEqual({ charged: 3n * CHARGE, receipts: 3, requestIds: ["req_4"], open: 0 });
  const found = changeRun(after, 2, { receipt: runOf(2).receipt });
  expect(costOfConversation(found)).toMatchObject({ charged: 4n * CHARGE, receipts: 4, requestIds: ["req_2", "req_4"] });
});

test("of many replaced runs the oldest are summed, and the cost is the same", () => {
  const replaced = Array.from({ length: 5 }, (_, index) => runOf(index + 1));
  const before = { ...of(turn(9, message("nine"))), replaced };
  const after = foldReplaced(before, 2);
  expect(after.replaced.map(({ id }) => id)).toEqual([4, 5]);
  expect(after.earlier).toEqual({ turns: 0, charged: 3n * CHARGE, receipts: 3 });
  expect(costOfConversation(after).charged).toBe(costOfConversation(before).charged);
  expect(foldReplaced(after, 2)).toBe(after);
});

test("of many replaced runs one whose charge is awaited stays listed, so that it counts once it has come", () => {
  const left = runOf(1, { state: "stopped", receipt: null });
  const after = foldReplaced({ ...of(turn(9, message("nine"))), replaced: [left, runOf(2), runOf(3)] }, 2);
  expect(after.replaced.map(({ id }) => id)).toEqual([1, 3]);
  expect(costOfConversation(changeRun(after, 1, { receipt: runOf(1).receipt })).charged).toBe(4n * CHARGE);
  expect(foldReplaced(after, 0).replaced).toEqual([]);
});

test("results go with the calls that they are of: alone they would be refused", () => {
  const called = turn(1, message("one"), { toolCalls: calls });
  const before = of(called, turn(2, results), turn(3, message("three")));
  const after = foldFirst(before, 1);
  expect(after.turns.map(({ id }) => id)).toEqual([3]);
  expect(after.earlier).toEqual({ turns: 2, charged: 2n * CHARGE, receipts: 2 });
  expect(messagesOf(undefined, after.turns, message("four")).map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
});

test("a paid run that was sent again is answered from the first, and its one charge counts once", () => {
  const first = turn(1, message("one"), { requestId: "req_paid" });
  const again = turn(2, message("one"), { requestId: "req_paid" });
  const conversation = addTurn(dropFrom(of(first), 1), again);
  const once = { charged: CHARGE, receipts: 1, requestIds: ["req_paid"] };
  expect(costOfConversation(conversation)).toMatchObject(once);
  // Also where only one of the two is still listed.
  expect(costOfConversation(foldReplaced(conversation, 0))).toMatchObject(once);
  expect(costOfConversation(foldFirst(conversation, 1))).toMatchObject(once);
  expect(costOfConversation(foldFirst(foldReplaced(conversation, 0), 1))).toMatchObject({ charged: CHARGE, receipts: 1, requestIds: [] });
});

test("a retry that breaks off brings the answers back, and its own charge still counts", () => {
  const before = of(turn(1, message("one")), turn(2, message("two"), { state: "stopped", receipt: null, isFinishing: true }));
  const under = addTurn(dropFrom(before, 2), turn(3, message("two"), { state: "waiting", receipt: null, text: "" }));
  // Meanwhile the replaced run was charged, and the conversation renamed.
  const meanwhile = { ...changeRun(under, 2, { receipt: runOf(2).receipt, isFinishing: false }), title: "Mine" };
  const problem = { code: null, reason: "broke_off", message: "It broke off.", requestId: null, deficit: null };
  const failed = runOf(3, {
    ...{ state: "failed", text: "", receipt: null },
    problem: { ...problem, affordableMaxTokens: null, retryAfterMs: null, cost: null },
  });
  const restored = restoreTurns(meanwhile, before, failed);
  expect(restored.title).toBe("Mine");
  expect(restored.turns.map(({ run }) => run.text)).toEqual(["answer 1", "answer 2"]);
  expect(costOfConversation(restored)).toMatchObject({ charged: 2n * CHARGE, receipts: 2, open: 0 });
  const charged = changeRun(restored, 3, { receipt: runOf(3).receipt, isFinishing: false });
  expect(costOfConversation(charged)).toMatchObject({ charged: 3n * CHARGE, requestIds: ["req_3", "req_1", "req_2"] });
  // A refusal costs nothing, and leaves nothing.
  const refused = { ...failed, problem: { ...problem, reason: "x", affordableMaxTokens: null, retryAfterMs: null, cost: null } };
  expect(restoreTurns(meanwhile, before, refused).replaced).toEqual([]);
});

test("a conversation is named by its first words, until it is renamed", () => {
  expect(titleOf(newConversation("c", 0))).toBe("New chat");
  expect(titleOf(of(turn(1, message("  What\nis it? "))))).toBe("What is it?");
  expect(titleOf(of(turn(1, message("word ".repeat(50)))))).toMatch(/^(word ){10,12}word…$/);
  expect(titleOf({ ...of(turn(1, message("x"))), title: "Mine" })).toBe("Mine");
});

test("the same turn always gives the same text, and its size counts texts, tools and schema, not images", () => {
  const tools = [{ type: "function", function: { name: "f" } }] as const;
  const full = { ...options, effort: "low", tools, schema: { name: "answer", schema: { type: "object" } } } as const;
  const messages = messagesOf("é", [], { kind: "message", text: "🪙", images: [{ name: "a", url: "data:image/png;base64,AAAA" }] });
  expect(JSON.stringify(writeBody(full, messages))).toBe(JSON.stringify(writeBody({ ...full }, [...messages])));
  expect(writeBody(full, messages)).toMatchObject({
    ...{ model: "grok", max_completion_tokens: 5, reasoning_effort: "low" },
    response_format: { type: "json_schema", json_schema: { name: "answer", strict: true } },
  });
  const extra = JSON.stringify(tools).length + '{"type":"object"}'.length;
  expect(countTextBytes(writeBody(full, messages))).toBe(2 + 4 + extra);
});
