// The corpus of the outside world: a request in each file of corpus/requests/, as a public client sends it, goes through the API to every kind of
// provider. It is answered and paid, and all of its words arrive in their order; or it is refused in the words that clients look for.

import { afterAll, describe, expect, test } from "vitest";
import { sample } from "@/lib/db/testing/sample";
import { endpoints, setEndpoints } from "@/lib/providers/endpoints";
import { openAccount } from "./testing/accounts";
import { chargesOf, expectPaid } from "./testing/books";
import { ask } from "./testing/client";
import { readRequests } from "./testing/corpus";
import { type Recorder, recordRequests } from "./testing/recorder";
import { openService } from "./testing/service";

const service = await openService();

const paths = { chat: "/api/v1/chat/completions", messages: "/api/v1/messages", responses: "/api/v1/responses" };

/** A model for each wire format, and for each rule that depends on the model. */
const claudes = ["claude-haiku-4-5", "claude-opus-4-8", "claude-sonnet-5"];
const modelsFor = (name: string) => [
  ...["gpt-4o-mini", "gpt-6-sol", "gemini-2.5-flash-lite", "deepseek-v4-pro"],
  ...sample(`requests ${name}`, claudes, 1),
];

const behind = endpoints();
const recorders: Recorder[] = [];
for (const provider of ["openai", "anthropic", "gemini", "deepseek"]) recorders.push(await recordRequests(behind, provider));
setEndpoints(
  new Map(
    recorders.flatMap((recorder, index) =>
      [...recorder.endpoints].filter(([id]) => id === ["openai", "anthropic", "gemini", "deepseek"][index]),
    ),
  ),
);
afterAll(async () => {
  setEndpoints(behind);
  for (const recorder of recorders) await recorder.stop();
});

/** What the last call sent, with its instructions before its turns. */
function lastSent(): string {
  const requests = recorders.flatMap(({ requests: sent }) => sent.splice(0));
  expect(requests).toHaveLength(1);
  const { system, systemInstruction, messages, contents, input, tools, ...others } = requests[0]?.body ?? {};
  return JSON.stringify([system, systemInstruction, messages, contents, input, tools, others]);
}

const quoted = (words: string): string => JSON.stringify(words).slice(1, -1);

function expectInOrder(sent: string, texts: readonly string[]): void {
  let from = 0;
  for (const words of texts) {
    const at = sent.indexOf(quoted(words), from);
    expect(at, `${words} in ${sent.slice(from)}`).toBeGreaterThan(-1);
    from = at;
  }
}

describe.each(readRequests())("%s", (name, { dialect, body, reaches = [], refused, except }) => {
  const models = modelsFor(name);
  const taking = models.filter((model) => !except.includes(model));
  const send = (key: string, model: string) => ask({ url: service.url("node"), key, path: paths[dialect], body: { ...body, model } });

  if (refused) {
    test("is refused in the words that clients look for, before any call", async () => {
      const account = await openAccount();
      for (const model of models) {
        const { status, text } = await send(account.key, model);
        expect([status, (JSON.parse(text) as { error: { message: string } }).error.message]).toEqual([
          refused.status,
          expect.stringContaining(refused.message),
        ]);
      }
      expect(recorders.flatMap(({ requests }) => requests)).toEqual([]);
      expect(await chargesOf(account.accountId)).toEqual([]);
    });
    return;
  }
  test("is answered by every kind of provider, and all its words reach it in their order", async () => {
    const account = await openAccount();
    for (const model of taking) {
      const { status, text } = await send(account.key, model);
      expect({ model, status, text }).toMatchObject({ status: 200 });
      expectInOrder(lastSent(), reaches);
    }
    for (const model of except) expect((await send(account.key, model)).status).toBe(400);
    expect(await chargesOf(account.accountId)).toHaveLength(taking.length);
    await expectPaid(account);
  });
});
