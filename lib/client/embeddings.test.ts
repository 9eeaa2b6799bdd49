// Embeddings through the client, against the service.

import { expect, test } from "vitest";
import { openAccount } from "@/lib/gateway/contract/testing/accounts";
import { expectPaid } from "@/lib/gateway/contract/testing/books";
import { openService } from "@/lib/gateway/contract/testing/service";
import { PennyPrompt } from "./pennyprompt";

const service = await openService();
const openClient = (apiKey: string) => new PennyPrompt({ apiKey, baseUrl: service.url("node") });
const anyId = expect.stringMatching(/^req_/);

test("embeddings, once for each key", async () => {
  const account = await openAccount();
  const client = openClient(account.key);
  const order = { model: "text-embedding-3-small", input: ["one", "two"], dimensions: 4 };
  const made = await client.embeddings(order, { idempotencyKey: "vectors" });
  expect(made).toMatchObject({ object: "list", model: order.model, requestId: anyId });
  expect(made.data.map(({ index, embedding }) => [index, embedding.length])).toEqual([
    [0, 4],
    [1, 4],
  ]);
  expect((await client.embeddings(order, { idempotencyKey: "vectors" })).data).toEqual(made.data);
  await expect(client.embeddings({ ...order, model: "gpt-4o" })).rejects.toMatchObject({
    code: "INVALID_MODEL",
    status: 400,
    requestId: anyId,
  });
  await expectPaid(account);
});
