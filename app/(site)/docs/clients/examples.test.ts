// The examples in TypeScript, run unchanged against the running service; those of LangChain and Python import packages that are not here.

import { expect, test } from "vitest";
import { openAccount } from "@/lib/gateway/contract/testing/accounts";
import { expectPaid } from "@/lib/gateway/contract/testing/books";
import { openService } from "@/lib/gateway/contract/testing/service";
import { exampleSite, runExample } from "../testing/run-example";
import { aiSdk, openaiResponses } from "./examples";

const service = await openService();

test.each([
  ["the openai package", openaiResponses],
  ["the AI SDK", aiSdk],
])("%s prints the answer and its usage", async (_name, write) => {
  for (const model of ["gpt-6-luna", "claude-haiku-4-5"]) {
    const account = await openAccount();
    const printed = await runExample(write(exampleSite(service.url("node")), model), { PENNYPROMPT_KEY: account.key });
    expect(printed).toContain("Simulated answer");
    expect(printed).toMatch(/input_?[tT]okens/);
    await expectPaid(account);
  }
});
