// A provider's own usage goes into the log: never with a text, which may be part of a prompt, and never so that it costs the customer the answer.

import { expect, test } from "vitest";
import { openAccount } from "./testing/accounts";
import { chargesOf } from "./testing/books";
import { QUESTION } from "./testing/client";
import { json, openScriptedProvider } from "./testing/scripted-provider";

const { service, send, provider } = await openScriptedProvider();

const answerWith = (odd: string) =>
  json(
    200,
    `{"id":"chatcmpl-1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Forty-two."},
      "finish_reason":"stop"}],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18,"odd":${odd}}}`,
  );

test.each([
  ["texts at any depth", JSON.stringify({ prompt: QUESTION, tiers: ["Forty-two.", { word: QUESTION, read: 3, none: 0 }] })],
  ["lists in lists, 60 deep", `${"[".repeat(60)}1${"]".repeat(60)}`],
  ["lists in lists, 100,000 deep", `${"[".repeat(100_000)}1${"]".repeat(100_000)}`],
  ["half a million numbers", `[${"1,".repeat(500_000)}1]`],
])("%s: the answer comes, is charged once, and the log line is short", async (_what, odd) => {
  const account = await openAccount();
  provider.reply = answerWith(odd);
  const answer = await send("chat", { key: account.key, model: "gpt-4o-mini" });
  expect(answer.status).toBe(200);
  expect(await chargesOf(account.accountId)).toMatchObject([{ input_tokens: 11n, output_tokens: 7n }]);
  const lines = (await service.log.text()).split("\n").filter((line) => line.includes(`"${answer.headers.get("x-request-id")}"`));
  const answered = lines.find((line) => line.includes('"answered"')) ?? "";
  expect(answered).not.toContain("quokka");
  expect(answered).not.toContain("Forty-two");
  expect(answered).toContain('"providerUsage":"prompt_tokens=11 completion_tokens=7 total_tokens=18');
  expect(answered.includes('total_tokens=18 odd.tiers.1.read=3"')).toBe(odd.includes("read"));
  expect(answered.length).toBeLessThan(2_500);
});
