// Why an answer ended, where its reader cannot see it.

import { createElement } from "react";
import { expect, test } from "vitest";
import { drawPage } from "@/components/ui/testing/app-router";
import { newRun, type Run } from "../run";
import { EndNote } from "./answer";

const terms = { ceiling: 1n, price: { inputPrice: "1", outputPrice: "1" }, whenLeft: "cut" } as const;
const noteOf = (changes: Partial<Run>): string =>
  drawPage(createElement(EndNote, { run: { ...newRun(1, { model: "grok", prompt: "" }, terms), ...changes } })).replace(/<[^>]*>/g, "");

test("a run that was stopped says so only where nothing of it had come: no text, no thoughts and no calls", () => {
  expect(noteOf({ state: "stopped" })).toBe("Stopped before the first token.");
  expect(noteOf({ state: "stopped", reasoning: "Hm." })).toBe("");
  expect(noteOf({ state: "stopped", toolCalls: [{ id: "c", name: "f", arguments: "{" }] })).toBe("");
  expect(noteOf({ state: "stopped", text: "Half" })).toBe("");
});

test("a complete answer says why it is cut or empty", () => {
  expect(noteOf({ state: "done", text: "x", finish: "length" })).toContain("Raise max tokens");
  expect(noteOf({ state: "done", finish: "stop" })).toBe("The model returned no text.");
  expect(noteOf({ state: "done", text: "x", finish: "stop" })).toBe("");
});
