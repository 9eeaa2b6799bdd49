// What the playground keeps in the browser: its draft and its answers come back exactly, by account, until they are cleared.

import { beforeEach, expect, test, vi } from "vitest";
import { newRun, type Run } from "../run";
import { clearPlayground, keep, onCleared } from "./browser-store";
import { keepRuns, readDraft, readRuns } from "./kept-runs";

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

const fields = { model: "grok", prompt: "Hi", system: undefined, maxTokens: 5, temperature: undefined };
const price = { inputPrice: "1", outputPrice: "1" };
const done = (id: number, changes: Partial<Run> = {}): Run => ({
  ...newRun(id, fields, { ceiling: 9_007_199_254_740_993n, price, whenLeft: "drained" }),
  state: "done",
  text: "Hello 🪙",
  receipt: {
    ...{ inputTokens: 1, outputTokens: 2, inputCost: 9_007_199_254_740_991n, outputCost: 1n },
    ...{ lines: [{ kind: "cache_read", tokens: 1, due: 9_007_199_254_740_992n }], borne: 1n },
  },
  ...changes,
});

test("runs come back to the nano-dollar, the newest first, for their own account only", () => {
  keepRuns("acc_1", [done(1)]);
  keepRuns("acc_1", [done(3), done(2)]);
  expect(readRuns("acc_1").map(({ id }) => id)).toEqual([3, 2, 1]);
  expect(readRuns("acc_1")[2]).toEqual(done(1));
  expect(readRuns("acc_2")).toEqual([]);
});

test("a run that was under way when its page closed was stopped", () => {
  keepRuns("acc_1", [done(1, { state: "writing", receipt: null })]);
  expect(readRuns("acc_1")).toMatchObject([{ state: "stopped", text: "Hello 🪙" }]);
});

test("a run of an earlier version comes back, without what it did not know", () => {
  const { whenLeft: _, isFinishing: __, receipt, ...old } = done(1);
  const { lines: ___, borne: ____, ...charged } = receipt ?? { lines: [], borne: 0n };
  keep("acc_1", "runs", [{ ...old, receipt: charged }]);
  expect(readRuns("acc_1")).toEqual([{ ...done(1), whenLeft: null, receipt: { ...charged, lines: [], borne: 0n } }]);
  keep("acc_1", "runs", [{ ...done(1), receipt: { ...charged, lines: [{ kind: "toString", tokens: 1, due: 1n }] } }]);
  expect(readRuns("acc_1")).toEqual([]);
});

test("at most twenty runs and a million characters are kept, the newest", () => {
  keepRuns(
    "acc_1",
    Array.from({ length: 30 }, (_, index) => done(index + 1)),
  );
  expect(readRuns("acc_1").map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => 30 - index));
  keepRuns("acc_1", [done(40, { text: "x".repeat(600_000) }), done(41, { text: "x".repeat(600_000) })]);
  expect(readRuns("acc_1").map(({ id }) => id)).toEqual([41]);
});

test("what is stored in another form is dropped, and blocked storage keeps nothing", () => {
  keep("acc_1", "runs", [{ id: 1 }, done(2), "x"]);
  keep("acc_1", "draft", { model: 1 });
  expect(readRuns("acc_1").map(({ id }) => id)).toEqual([2]);
  expect(readDraft("acc_1")).toBeNull();
  vi.stubGlobal("localStorage", {
    getItem: () => {
      throw new Error("denied");
    },
  });
  keepRuns("acc_1", [done(1)]);
  expect([readRuns("acc_1"), readDraft("acc_1")]).toEqual([[], null]);
});

test("a draft for which there is no space is not kept, and neither is the one before", () => {
  const draft = { model: "grok", system: "", prompt: "Hi", maxTokens: "5", temperature: "" };
  keep("acc_1", "draft", draft);
  vi.spyOn(TestStorage.prototype, "setItem").mockImplementationOnce(() => {
    throw new Error("quota exceeded");
  });
  keep("acc_1", "draft", { ...draft, prompt: "long" });
  expect(readDraft("acc_1")).toBeNull();
});

test("clearing removes draft and answers, of one account or of all, and tells an open playground", () => {
  const draft = { model: "grok", system: "", prompt: "Hi", maxTokens: "5", temperature: "" };
  for (const account of ["acc_1", "acc_2", "acc_3"]) {
    keep(account, "draft", draft);
    keepRuns(account, [done(1)]);
  }
  localStorage.setItem("theme", "dark");
  const cleared = vi.fn();
  const stop = onCleared(cleared);
  clearPlayground("acc_1");
  expect([readDraft("acc_1"), readRuns("acc_1"), readDraft("acc_2")]).toEqual([null, [], draft]);
  clearPlayground();
  expect([readDraft("acc_2"), readRuns("acc_3"), localStorage.getItem("theme")]).toEqual([null, [], "dark"]);
  expect(cleared).toHaveBeenCalledTimes(2);
  stop();
  clearPlayground();
  expect(cleared).toHaveBeenCalledTimes(2);
});
