// The log line of a request has what its provider itself wrote of the tokens, so that the operator can hold an invoice against it.

import { expect, test } from "vitest";
import { openAccount } from "./testing/accounts";
import { ask, promptOf } from "./testing/client";
import { openService } from "./testing/service";

const service = await openService();

test.each([
  ["gpt-4o-mini", "prompt_tokens"],
  ["gpt-6-luna", "total_tokens"],
  ["claude-haiku-4-5", "input_tokens"],
  ["gemini-2.5-flash-lite", "promptTokenCount"],
])("%s: of a whole answer and of a stream", async (model, theirs) => {
  const account = await openAccount();
  for (const stream of [false, true]) {
    const answer = await ask({ url: service.url("node"), key: account.key, body: promptOf({ model, stream }) });
    expect(answer.status).toBe(200);
    const requestId = answer.headers.get("x-request-id");
    const lines = (await service.log.text()).split("\n").filter((line) => line.includes(`"requestId":"${requestId}"`));
    const { providerUsage, inputTokens } = JSON.parse(lines.find((line) => line.includes('"answered"')) ?? "{}");
    expect(providerUsage).toMatch(new RegExp(`(^| )${theirs}=[1-9]`));
    expect(inputTokens).toBeGreaterThan(0);
  }
});
