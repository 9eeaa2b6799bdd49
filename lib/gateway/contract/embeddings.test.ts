// POST /api/v1/embeddings: OpenAI's form in and out, for each kind of input and encoding; held, charged exactly, replayed and shown like a
// prompt; and what makes no embeddings is refused with what does.

import { describe, expect, test } from "vitest";
import { priceVersion } from "@/lib/providers/catalogue";
import { openAccount } from "./testing/accounts";
import { chargesOf, expectPaid, expectUncharged } from "./testing/books";
import { type Answer, ask, modelOf, QUESTION } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService();
const path = "/api/v1/embeddings";
const MODEL = "text-embedding-3-small";

interface Embeddings {
  object: string;
  model: string;
  data: { object: string; index: number; embedding: number[] | string }[];
  usage: { prompt_tokens: number; total_tokens: number; cost: number };
}

const readEmbeddings = ({ status, text }: Answer): Embeddings => {
  expect(status, text.slice(0, 500)).toBe(200);
  return JSON.parse(text) as Embeddings;
};

const floatsOf = (embedding: number[] | string): number[] => {
  if (typeof embedding !== "string") return embedding;
  const bytes = Buffer.from(embedding, "base64");
  return Array.from({ length: bytes.length / 4 }, (_, at) => Number(bytes.readFloatLE(at * 4).toPrecision(9)));
};

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);
  const embed = (key: string, fields: object, headers: Record<string, string> = {}) =>
    ask({ url, key, path, body: { model: MODEL, input: QUESTION, ...fields }, headers });

  test.each<[what: string, input: unknown, count: number]>([
    ["a text", QUESTION, 1],
    ["texts", [QUESTION, "and another", "💶"], 3],
    ["tokens", [9_906, 1_917], 1],
    ["lists of tokens", [[9_906], [1_917, 0]], 2],
  ])("%s: one vector each, in order, charged by the provider's count", async (_what, input, count) => {
    const account = await openAccount();
    const { object, model, data, usage } = readEmbeddings(await embed(account.key, { input }));
    expect([object, model]).toEqual(["list", MODEL]);
    expect(data.map(({ index }) => index)).toEqual(Array.from({ length: count }, (_, at) => at));
    for (const { object: kind, embedding } of data) {
      expect(kind).toBe("embedding");
      expect(embedding).toHaveLength(1_536);
    }
    expect(usage.total_tokens).toBe(usage.prompt_tokens);
    expect(await chargesOf(account.accountId)).toHaveLength(1);
    await expectPaid(account);
  });

  test("base64 and numbers are the same vector, with the dimensions that were asked for", async () => {
    const account = await openAccount();
    const [numbers, base64] = [
      readEmbeddings(await embed(account.key, { dimensions: 256 })),
      readEmbeddings(await embed(account.key, { dimensions: 256, encoding_format: "base64" })),
    ].map(({ data }) => data[0]?.embedding ?? "");
    expect(typeof base64).toBe("string");
    expect(numbers).toHaveLength(256);
    expect(floatsOf(base64 ?? "")).toEqual(numbers);
  });

  test("the same Idempotency-Key gets the first vectors again, and pays once", async () => {
    const account = await openAccount();
    const send = (fields = {}) => embed(account.key, fields, { "idempotency-key": "vectors" });
    const first = await send();
    const again = await send();
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
    expect((await send({ input: "other" })).text).toContain("idempotency_mismatch");
    expect(await chargesOf(account.accountId)).toHaveLength(1);
    await expectPaid(account);
  });

  test("there is a receipt", async () => {
    const account = await openAccount();
    const answer = await embed(account.key, {});
    const { usage } = readEmbeddings(answer);
    const requestId = answer.headers.get("x-request-id");
    const receipt = await ask({ url, key: account.key, path: `/api/v1/requests/${requestId}`, method: "GET" });
    expect(JSON.parse(receipt.text)).toMatchObject({
      model: MODEL,
      priceVersion: priceVersion(modelOf(MODEL)),
      cost: { totalCost: usage.cost },
    });
  });

  test("without the money there is no call", async () => {
    const account = await openAccount({ usd: "0.000000001" });
    await service.models.clear();
    expect((await embed(account.key, { input: "word ".repeat(5_000) })).status).toBe(402);
    expect((await service.models.calls()).count).toBe(0);
    await expectUncharged(account);
  });

  test.each([
    ["a provider that fails", "status=500", 500],
    ["a provider that counts nothing", "no-usage", 500],
    ["a provider that counts more than any tokenizer could", "usage=in:900000,out:0", 500],
    ["a provider that refuses", "status=400", 400],
  ])("%s: an error in OpenAI's form, and nothing is charged", async (_what, directive, status) => {
    const account = await openAccount();
    const answer = await embed(account.key, { input: `${QUESTION} [[simulate: ${directive}]]` });
    expect(answer.status, answer.text).toBe(status);
    expect((JSON.parse(answer.text) as { error: { requestId: string } }).error.requestId).toBe(answer.headers.get("x-request-id"));
    await expectUncharged(account);
  });

  test.each<[what: string, fields: object, param: string, message: RegExp]>([
    ["no input", { input: undefined }, "input", /must be a string/],
    ["an empty text", { input: "" }, "input", /none of them empty/],
    ["an empty list", { input: [] }, "input", /none of them empty/],
    ["an empty text among others", { input: ["a", ""] }, "input", /none of them empty/],
    ["half a million wrong items", { input: Array.from({ length: 200_000 }, () => -1) }, "input", /strings or tokens/],
    ["a text among tokens", { input: [1, "a"] }, "input", /strings or tokens/],
    ["a broken token", { input: [1.5] }, "input", /strings or tokens/],
    ["too many tokens", { input: Array.from({ length: 8_193 }, () => 1) }, "input", /at most/],
    ["too many texts", { input: Array.from({ length: 2_049 }, () => "a") }, "input", /at most 2048/],
    ["more texts than are looked at", { input: Array.from({ length: 20_000 }, () => "a") }, "input", /at most 2048 items; it has 20000/],
    ["more numbers than one answer holds", { input: Array.from({ length: 2_000 }, () => "a") }, "input", /at most 1041 inputs/],
    ["an unknown encoding", { encoding_format: "hex" }, "encoding_format", /float or base64/],
    ["more dimensions than there are", { dimensions: 1_537 }, "dimensions", /at most 1536/],
    ["dimensions of the old model", { model: "text-embedding-ada-002", dimensions: 5 }, "dimensions", /not supported by/],
    ["a cost above maxCost", { maxCost: 0.000000001 }, "maxCost", /may cost up to/],
    ["a model that answers prompts", { model: "gpt-4o" }, "model", /does not create embeddings/],
    ["an unknown model", { model: "text-embedding-4" }, "model", /Unknown model/],
  ])("%s is refused with the field and the cure", async (_what, fields, param, message) => {
    const account = await openAccount();
    const answer = await embed(account.key, fields);
    const { error } = JSON.parse(answer.text) as { error: { message: string; param: string } };
    expect([answer.status, error.param], answer.text.slice(0, 300)).toEqual([400, param]);
    expect(error.message).toMatch(message);
    await expectUncharged(account);
  });

  test.each(["/api/v1/prompt", "/api/v1/chat/completions", "/api/v1/quote"])("%s says where its texts belong", async (other) => {
    const account = await openAccount();
    const body = { model: MODEL, ...(other.includes("chat") ? { messages: [{ role: "user", content: "a" }] } : { prompt: "a" }) };
    const answer = await ask({ url, key: account.key, path: other, body });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("POST /api/v1/embeddings")]);
    expect(answer.text).toContain("INVALID_MODEL");
    await expectUncharged(account);
  });
});

test("the catalogue lists them as embeddings", async () => {
  const answer = await ask({ url: service.url("node"), path: `/api/v1/models/${MODEL}`, method: "GET" });
  expect(JSON.parse(answer.text)).toMatchObject({ id: MODEL, outputModalities: ["embedding"], inputModalities: ["text"] });
});
