// The examples of the pages on images and embeddings, run as they are shown.

import { expect, test } from "vitest";
import { embeddingExample, imageExample } from "@/app/examples";
import { openAccount } from "@/lib/gateway/contract/testing/accounts";
import { expectPaid } from "@/lib/gateway/contract/testing/books";
import { openService } from "@/lib/gateway/contract/testing/service";

const service = await openService();

test.each([
  ["an image", imageExample, '"role":"assistant"'],
  ["embeddings", embeddingExample, '"object":"embedding"'],
])("the example of %s works as pasted", async (_what, example, expected) => {
  const account = await openAccount();
  const command = example({ baseUrl: service.url("node"), keyVariable: "KEY" });
  const [, path = ""] = /curl -s \S+?(\/api\/v1\/\S+)/.exec(command) ?? [];
  const [, body = ""] = /-d '([^']*)'/.exec(command) ?? [];
  const headers = { authorization: `Bearer ${account.key}`, "content-type": "application/json" };
  const answer = await fetch(service.url("node") + path, { method: "POST", headers, body });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(expected)]);
  await expectPaid(account);
});
