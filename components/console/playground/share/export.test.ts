// A conversation as a file: amounts to the nano-dollar, and no text that breaks out of its place.

import { expect, test } from "vitest";
import { addTurn, foldFirst, newConversation, type Turn } from "../chat/conversation";
import { newRun, type Run } from "../run";
import { exportJson, exportMarkdown, fileName } from "./export";

const run: Run = {
  ...newRun(
    Date.UTC(2026, 10, 28),
    { model: "grok", prompt: "" },
    { ceiling: 1n, price: { inputPrice: "1", outputPrice: "1" }, whenLeft: "cut" },
  ),
  ...{ state: "done", text: "It is **small**.", requestId: "req_1" },
  receipt: { inputTokens: 1, outputTokens: 1, inputCost: 1n, outputCost: 9_007_199_254_740_992n, lines: [], borne: 0n },
  toolCalls: [{ id: "c", name: "f", arguments: "````" }],
};
const turn: Turn = {
  id: run.id,
  options: { model: "grok", system: "Be brief." },
  input: { kind: "message", text: "What is a nano-dollar?", images: [{ name: "a.png", url: "data:image/png;base64,AA==" }] },
  run,
};
const conversation = addTurn(newConversation("c", 0), turn);

test("as JSON it has each amount exactly, its receipts and no image's bytes", () => {
  const json = exportJson(conversation);
  expect(JSON.parse(json)).toMatchObject({
    title: "What is a nano-dollar?",
    chargedUsd: "9007199.254740993",
    receipts: ["req_1"],
    turns: [
      {
        at: "2026-11-28T00:00:00.000Z",
        input: { images: ["a.png"] },
        answer: { text: "It is **small**." },
        chargedUsd: "9007199.254740993",
      },
    ],
  });
  expect(json).not.toContain("base64");
});

test("the cost of turns that are no longer kept is in the file", () => {
  const folded = foldFirst(addTurn(conversation, { ...turn, id: 2, run: { ...run, id: 2, requestId: "req_2" } }), 1);
  expect(JSON.parse(exportJson(folded))).toMatchObject({
    ...{ chargedUsd: "18014398.509481986", receipts: ["req_2"] },
    earlier: { turns: 1, receipts: 1, chargedUsd: "9007199.254740993" },
  });
  expect(exportMarkdown(folded)).toContain("Charged: $18014398.509481986 (2 receipts)");
  expect(JSON.parse(exportJson(conversation))).not.toHaveProperty("earlier");
});

test("as Markdown it reads from top to bottom, and code is in a fence longer than any in it", () => {
  expect(exportMarkdown(conversation)).toBe(
    [
      "# What is a nano-dollar?",
      "Charged: $9007199.254740993 (1 receipt)",
      "## System",
      "Be brief.",
      "## You",
      "(Image: a.png)",
      "What is a nano-dollar?",
      "## grok",
      "It is **small**.",
      "Calls f:\n\n`````\n````\n`````",
      "",
    ].join("\n\n"),
  );
});

test("a file's name has letters and digits only", () => {
  expect(fileName(conversation, "md")).toBe("what-is-a-nano-dollar.md");
  expect(fileName({ ...conversation, title: "../../etc/passwd\u0000" }, "json")).toBe("etc-passwd.json");
  expect(fileName({ ...conversation, title: "🪙" }, "json")).toBe("conversation.json");
});
