// What the playground keeps in the browser: set-up, message and conversations come back exactly, by account, each within a bound of its own,
// until they are cleared.

import { beforeEach, expect, test, vi } from "vitest";
import { addTurn, type Conversation, costOfConversation, newConversation, type Turn } from "../chat/conversation";
import { emptySetup } from "../chat/setup";
import { newRun, type Run } from "../run";
import { clearPlayground, keep, keptText, onCleared, readKept } from "./browser-store";
import {
  fitConversation,
  keepConversation,
  MAX_CONVERSATION_LENGTH,
  MAX_CONVERSATIONS,
  readConversations,
  removeConversation,
} from "./kept-conversations";
import { changeDraft, type Drafts, endLinked, forgetLinked, readDraft, readLinked, shownDraft, takeLinked } from "./kept-draft";

/** The part of a browser that the store uses: its entries are own keys, as in the Storage of the DOM. */
class TestStorage {
  getItem(key: string): string | null {
    return (this as Record<string, unknown>)[key] === undefined ? null : String((this as Record<string, unknown>)[key]);
  }
  setItem(key: string, value: string): void {
    Object.assign(this, { [key]: value });
  }
  removeItem(key: string): void {
    Reflect.deleteProperty(this, key);
  }
}

beforeEach(() => {
  vi.stubGlobal("localStorage", new TestStorage());
  vi.stubGlobal("window", new EventTarget());
});

const price = { inputPrice: "1", outputPrice: "1" };
const runOf = (id: number, changes: Partial<Run> = {}): Run => ({
  ...newRun(
    id,
    { model: "grok", prompt: "", sent: { bytes: 2, messages: 1 } },
    { ceiling: 9_007_199_254_740_993n, price, whenLeft: "drained" },
  ),
  state: "done",
  text: "Hello 🪙",
  reasoning: "Hm.",
  toolCalls: [{ id: "call_1", name: "f", arguments: "{}" }],
  finish: "stop",
  receipt: {
    ...{ inputTokens: 1, outputTokens: 2, inputCost: 9_007_199_254_740_991n, outputCost: 1n },
    ...{ lines: [{ kind: "cache_read", tokens: 1, due: 9_007_199_254_740_992n }], borne: 1n },
  },
  ...changes,
});
const turnOf = (id: number, text = "Hi", changes: Partial<Run> = {}): Turn => ({
  id,
  options: { model: "grok", maxTokens: 5, schema: { name: "answer", schema: { type: "object" } } },
  input: { kind: "message", text, images: [] },
  run: runOf(id, changes),
});
const conversationOf = (id: string, ...turns: Turn[]): Conversation => turns.reduce(addTurn, newConversation(id, 0));

test("conversations come back to the nano-dollar, the newest first, for their own account only", () => {
  const [old, recent] = [conversationOf("a", turnOf(1), turnOf(2)), { ...conversationOf("b", turnOf(3)), replaced: [runOf(9)] }];
  for (const one of [old, recent]) expect(keepConversation("acc_1", one)).toBe("kept");
  expect(readConversations("acc_1")).toEqual([recent, old]);
  expect(readConversations("acc_2")).toEqual([]);
  removeConversation("acc_1", "a");
  expect(readConversations("acc_1")).toEqual([recent]);
});

test("images are not kept, and their turn says which there were", () => {
  const image = { name: "a.png", url: `data:image/png;base64,${"A".repeat(1_000_000)}` };
  keepConversation("acc_1", conversationOf("a", { ...turnOf(1), input: { kind: "message", text: "Hi", images: [image] } }));
  expect(readConversations("acc_1")[0]?.turns[0]).toMatchObject({ input: { images: [{ name: "a.png", url: null }] } });
  expect(readConversations("acc_1")[0]?.turns[0]?.isCut).toBeUndefined();
});

test("a run that was under way when its page closed was stopped", () => {
  keepConversation("acc_1", conversationOf("a", turnOf(1, "Hi", { state: "writing", receipt: null })));
  expect(readConversations("acc_1")[0]?.turns[0]?.run).toMatchObject({ state: "stopped", text: "Hello 🪙", isFinishing: false });
});

test("a large conversation is kept in part and says so, and pushes no other out", () => {
  keepConversation("acc_1", conversationOf("small", turnOf(1)));
  const large = conversationOf("large", turnOf(2, "Write a book"), turnOf(3, "More", { text: `${"x".repeat(999)}🪙`.repeat(3_000) }));
  expect(keepConversation("acc_1", large)).toBe("kept");
  const [kept, small] = readConversations("acc_1");
  expect(small).toEqual(conversationOf("small", turnOf(1)));
  expect(kept?.turns.map(({ isCut }) => isCut)).toEqual([undefined, true]);
  expect(kept?.turns[1]?.run.text.length).toBeGreaterThan(MAX_CONVERSATION_LENGTH / 8);
  expect(large.turns[1]?.run.text.startsWith(kept?.turns[1]?.run.text ?? "?")).toBe(true);
  expect(keptText(fitConversation(large)).length).toBeLessThanOrEqual(MAX_CONVERSATION_LENGTH);
});

test("a conversation of thousands of turns loses its first, and keeps their cost to the nano-dollar, however often it is kept", () => {
  const turns = Array.from({ length: 3_000 }, (_, index) => turnOf(index + 1, "Hi", { requestId: `req_${index + 1}` }));
  const long = { ...conversationOf("a", ...turns), replaced: Array.from({ length: 200 }, (_, index) => runOf(5_000 + index)) };
  const fitted = fitConversation(long);
  expect(keptText(fitted).length).toBeLessThanOrEqual(MAX_CONVERSATION_LENGTH);
  expect(fitted.turns.at(-1)?.id).toBe(3_000);
  expect(fitted.turns[0]?.isCut).toBeUndefined();
  expect(fitted.turns.length + fitted.earlier.turns).toBe(3_000);
  expect(fitted.replaced.at(-1)?.id).toBe(5_199);
  let again: Conversation = long;
  for (let round = 0; round < 3; round++) {
    expect(keepConversation("acc_1", again)).toBe("kept");
    [again = long] = readConversations("acc_1");
  }
  expect(costOfConversation(again).charged).toBe(3_200n * 9_007_199_254_740_992n);
  expect(costOfConversation(again).charged).toBe(costOfConversation(long).charged);
  expect(costOfConversation(again).receipts).toBe(costOfConversation(long).receipts);
});

test("a conversation of the version before has nothing summed", () => {
  const { id: _, earlier: __, ...old } = conversationOf("a", turnOf(1));
  keep("acc_1", "chat:a", old);
  expect(readConversations("acc_1")).toEqual([conversationOf("a", turnOf(1))]);
});

test("of too many conversations the oldest go", () => {
  for (let id = 1; id <= MAX_CONVERSATIONS + 3; id++) keepConversation("acc_1", conversationOf(`c${id}`, turnOf(id)));
  const kept = readConversations("acc_1");
  expect(kept).toHaveLength(MAX_CONVERSATIONS);
  expect(kept.at(-1)?.id).toBe("c4");
});

test("runs of the version before become conversations of one turn, once", () => {
  const { sent: _, ...fields } = { ...runOf(1).fields, prompt: "What is it?", system: "Be brief." };
  const { whenLeft: __, isFinishing: ___, reasoning: ____, toolCalls: _____, finish: ______, receipt, ...old } = runOf(7);
  const { lines: _l, borne: _b, ...charged } = receipt ?? { lines: [], borne: 0n };
  keep("acc_1", "runs", [{ ...old, fields, receipt: charged }, { id: 1 }, "x"]);
  for (const read of [1, 2]) {
    const [taken, ...others] = readConversations("acc_1");
    expect(others, `${read}`).toEqual([]);
    expect(taken).toMatchObject({
      id: "run-7",
      turns: [{ input: { text: "What is it?" }, options: { system: "Be brief." }, run: { text: "Hello 🪙" } }],
    });
    expect(taken?.turns[0]?.run.receipt).toEqual({ ...charged, lines: [], borne: 0n });
  }
  expect(readKept("acc_1", "runs")).toBeNull();
});

test("what is stored in another form is dropped", () => {
  keep("acc_1", "chat:a", { title: 1 });
  keep("acc_1", "chat:b", {
    ...conversationOf("b", turnOf(1)),
    turns: [{ ...turnOf(1), run: { ...runOf(1), receipt: { inputTokens: "1" } } }],
  });
  keep("acc_1", "chat:c", conversationOf("c", turnOf(2)));
  keep("acc_1", "draft", { setup: 1 });
  expect(readConversations("acc_1").map(({ id }) => id)).toEqual(["c"]);
  expect(readDraft("acc_1")).toBeNull();
});

test("storage that is full or forbidden is told apart, and keeps nothing", () => {
  const full = vi.spyOn(TestStorage.prototype, "setItem").mockImplementation(function (this: TestStorage, key, value) {
    if (value.length > 100) throw new DOMException("quota", "QuotaExceededError");
    Object.assign(this, { [key]: value });
  });
  expect(keepConversation("acc_1", conversationOf("a", turnOf(1)))).toBe("full");
  full.mockRestore();
  expect(readConversations("acc_1")).toEqual([]);
  const deny = () => {
    throw new Error("denied");
  };
  vi.stubGlobal("localStorage", { getItem: deny, setItem: deny, removeItem: deny });
  expect(keepConversation("acc_1", conversationOf("a", turnOf(1)))).toBe("forbidden");
  expect([readConversations("acc_1"), readDraft("acc_1")]).toEqual([[], null]);
});

const draft = { setup: { ...emptySetup("grok"), tools: "[]" }, text: "Hi", conversationId: "a" };

test("a draft comes back, also of the version before; one without space is not kept, and neither is the one before", () => {
  keep("acc_1", "draft", draft);
  expect(readDraft("acc_1")).toEqual(draft);
  vi.spyOn(TestStorage.prototype, "setItem").mockImplementationOnce(() => {
    throw new Error("quota exceeded");
  });
  expect(keep("acc_1", "draft", { ...draft, text: "long" })).toBe("full");
  expect(readDraft("acc_1")).toBeNull();
  keep("acc_1", "draft", { model: "grok", system: "Be brief.", prompt: "Hi", maxTokens: "5", temperature: "" });
  expect(readDraft("acc_1")).toEqual({
    setup: { ...emptySetup("grok"), system: "Be brief.", maxTokens: "5" },
    ...{ text: "Hi", conversationId: null },
  });
});

test("a link's draft stands in place of the own one, in a conversation of its own, and leaves the own one as it was", () => {
  const linkedSetup = { ...emptySetup("gpt-4o-mini"), system: "Answer in rhymes." };
  const before: Drafts = { own: draft, linked: null };
  const opened = takeLinked(before, "l1", linkedSetup);
  expect(shownDraft(opened)).toMatchObject({ setup: linkedSetup, text: "", conversationId: null });
  const written = changeDraft(opened, { text: "A rhyme, please", conversationId: "b" });
  expect(shownDraft(written)).toMatchObject({ text: "A rhyme, please", conversationId: "b" });
  expect(written.own).toEqual(draft);
  // Another link takes the place of the first, and the own draft is still the reader's.
  expect(endLinked(takeLinked(written, "l2", emptySetup("grok")))).toEqual(before);
  expect(endLinked(written)).toEqual(before);
  expect(changeDraft(before, { text: "x" })).toEqual({ own: { ...draft, text: "x" }, linked: null });
});

test("a link's draft is kept beside the own one, for its own link", () => {
  keep("acc_1", "draft", draft);
  const linkedDraft = { ...draft, linkId: "l2", text: "A rhyme, please" };
  keep("acc_1", "linked", linkedDraft);
  expect(readDraft("acc_1")).toEqual(draft);
  expect(readLinked("acc_1", "l2")).toEqual(linkedDraft);
  expect([readLinked("acc_1", "l1"), readLinked("acc_2", "l2")]).toEqual([null, null]);
  // A tab that ends the first link leaves what another tab has begun with the second.
  forgetLinked("acc_1", "l1");
  expect(readLinked("acc_1", "l2")).toEqual(linkedDraft);
  forgetLinked("acc_1", "l2");
  expect(readLinked("acc_1", "l2")).toBeNull();
});

test("clearing removes draft and conversations, of one account or of all, and tells an open playground", () => {
  for (const account of ["acc_1", "acc_2", "acc_3"]) {
    keep(account, "draft", draft);
    keep(account, "linked", { ...draft, linkId: "l1" });
    keepConversation(account, conversationOf("a", turnOf(1)));
  }
  localStorage.setItem("theme", "dark");
  const cleared = vi.fn();
  const stop = onCleared(cleared);
  clearPlayground("acc_1");
  expect([readDraft("acc_1"), readConversations("acc_1"), readDraft("acc_2")]).toEqual([null, [], draft]);
  expect(readLinked("acc_1", "l1")).toBeNull();
  clearPlayground();
  expect([readDraft("acc_2"), readConversations("acc_3"), localStorage.getItem("theme")]).toEqual([null, [], "dark"]);
  expect(cleared).toHaveBeenCalledTimes(2);
  stop();
  clearPlayground();
  expect(cleared).toHaveBeenCalledTimes(2);
});

test("deleting one conversation in another tab clears nothing here", () => {
  const cleared = vi.fn();
  onCleared(cleared);
  const event = (key: string, newValue: string | null) => Object.assign(new Event("storage"), { key, newValue });
  window.dispatchEvent(event("playground:acc_1:chat:a", null));
  expect(cleared).not.toHaveBeenCalled();
  window.dispatchEvent(event("playground-cleared", "1"));
  expect(cleared).toHaveBeenCalledTimes(1);
});
