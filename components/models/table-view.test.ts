import { expect, test } from "vitest";
import type { ModelPrice } from "@/lib/console/views/models";
import { arrange, digitsOf, nextSort, readView, writeView } from "./table-view";

const row = (id: string, inputPrice: string, outputPrice: string, provider = "OpenAI"): ModelPrice => ({
  id,
  aliases: [`${provider.toLowerCase()}/${id}`],
  description: `About ${id}.`,
  provider,
  contextWindow: 8_192,
  maxOutputTokens: 4_096,
  takesImages: false,
  inputPrice,
  outputPrice,
  prices: [],
});

const rows = [row("b", "10", "40"), row("a", "2", "0.525", "Anthropic"), row("c", "9.5", "40")];
const view = (query: string) => readView(new URLSearchParams(query));
const names = (query: string) => arrange(rows, view(query)).map(({ id }) => id);

test("prices are compared as numbers, not as text", () => {
  expect(names("sort=input")).toEqual(["a", "c", "b"]);
  expect(names("sort=-input")).toEqual(["b", "c", "a"]);
});

test("equal rows keep the catalogue's order, and so do unsorted rows", () => {
  expect(names("sort=-output")).toEqual(["b", "c", "a"]);
  expect(names("")).toEqual(["b", "a", "c"]);
});

test("every word of a search must be found, in name, alias, provider or description", () => {
  expect(names("q=ANTHROPIC")).toEqual(["a"]);
  expect(names("q=about+openai/c")).toEqual(["c"]);
  expect(names("q=nothing")).toEqual([]);
});

test("a cost is exact to the nano-dollar", () => {
  const [, cheap] = arrange(rows, view("in=8191&out=1"));
  expect(cheap?.cost).toBe(8_191n * 2_000n + 525n);
  expect(arrange(rows, view("in=&out="))[0]?.cost).toBe(0n);
});

test("an embedding costs its input, however many tokens of output are asked for", () => {
  const embedding = { ...row("embedding", "1", "0"), type: "embedding" as const, contextWindow: 100, maxOutputTokens: 0 };
  expect(arrange([embedding], view("in=100&out=500"))[0]?.cost).toBe(100_000n);
  expect(arrange([embedding], view("in=101&out=0"))[0]?.cost).toBeNull();
});

test("models that do not accept the tokens have no cost, and sort last in either direction", () => {
  const small = { ...row("small", "1", "1"), contextWindow: 100, maxOutputTokens: 50 };
  const costOf = (query: string) => arrange([small], view(query))[0]?.cost;
  expect([costOf("in=50&out=50"), costOf("in=51&out=50"), costOf("in=0&out=51")]).toEqual([100_000n, null, null]);
  const order = (query: string) => arrange([small, ...rows], view(query)).map(({ id }) => id);
  expect(order("sort=cost").at(-1)).toBe("small");
  expect(order("sort=-cost").at(-1)).toBe("small");
});

test("a view survives the URL, which omits defaults", () => {
  const changed = { search: "gpt 4", sort: { key: "cost", descending: true }, inputTokens: "7", outputTokens: "" } as const;
  expect(view(writeView(changed))).toEqual(changed);
  expect(writeView(view(""))).toBe("");
  expect(view("sort=nonsense&in=abc")).toEqual({ ...view(""), inputTokens: "" });
});

test("a heading sorts ascending, descending, then not at all", () => {
  const up = nextSort(null, "name");
  const down = nextSort(up, "name");
  expect([up, down, nextSort(down, "name")]).toEqual([{ key: "name", descending: false }, { key: "name", descending: true }, null]);
  expect(nextSort(down, "cost")).toEqual({ key: "cost", descending: false });
});

test("a typed number of tokens is reduced to its digits", () => {
  expect(digitsOf("1,000 tokens")).toBe("1000");
  expect(digitsOf("007")).toBe("7");
  expect(digitsOf("-")).toBe("");
});
