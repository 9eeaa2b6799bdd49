// JSON of large bodies: images stay bytes, everything else reads as JSON.parse would read it, and hostile bodies cost little.

import { expect, test } from "vitest";
import { runAtOnce } from "@/lib/base/slices";
import { parseLargeJson } from "./large-json";

const base64 = "QUJD".repeat(5_000);
const parse = (value: unknown) => runAtOnce(parseLargeJson(Buffer.from(typeof value === "string" ? value : JSON.stringify(value))));

test("an image's base64 becomes a reference to its bytes, in every dialect and in a tool's result", () => {
  const parts = [
    { type: "image_url", image_url: { url: `data:image/png;base64,${base64}` } },
    { type: "image", source: { type: "base64", media_type: "image/png", data: base64 } },
    { type: "tool_result", content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: `${base64}QQ==` } }] },
  ];
  const responses = { type: "function_call_output", output: [{ type: "input_image", image_url: `data:image/png;base64,${base64}` }] };
  const parsed = parse({ messages: [{ role: "user", content: parts }], input: [responses] });
  if ("problem" in parsed) throw new Error(parsed.problem);
  const text = JSON.stringify(parsed.value);
  expect(text.length).toBeLessThan(1_000);
  expect(text.match(/data:image\/png;base64,large-text-[0-9a-f]{32}"/g)).toHaveLength(2);
  expect([...parsed.texts.values()].map(({ bytes }) => bytes.length)).toEqual([20_000, 20_000, 20_004, 20_000]);
});

test.each([
  ["a prompt", { messages: [{ role: "user", content: base64 }] }],
  ["a text part", { messages: [{ role: "user", content: [{ type: "text", text: base64 }] }] }],
  ["a tool's arguments that look like an image", { messages: [{ tool_calls: [{ input: { type: "image", source: { data: base64 } } }] }] }],
  ["a schema", { tools: [{ parameters: { type: "image", source: { data: `data:image/png;base64,${base64}` }, ["__proto__"]: base64 } }] }],
  ["a name", { [base64]: 1 }],
])("long base64 that is no image stays text: %s", (_case, body) => {
  const json = JSON.stringify(body);
  expect(parse(json)).toMatchObject({ value: JSON.parse(json) });
});

test("strings that only look like base64 stay text: other alphabets, escapes, padding in the middle", () => {
  for (const text of [
    `${base64}-_`,
    `${base64}é`,
    `=${base64}`,
    `${base64}===`,
    `${base64}\\`,
    `${base64}"`,
    base64.replaceAll("Q", "\\/"),
  ]) {
    const parsed = parse({ messages: [{ content: [{ type: "image", source: { data: text } }] }] });
    expect(parsed).toMatchObject({ value: { messages: [{ content: [{ source: { data: text } }] }] } });
  }
});

test("a client cannot name a reference", () => {
  const parsed = parse({ messages: [{ content: [{ type: "image", source: { data: `large-text-${"0".repeat(32)}` } }] }], pad: base64 });
  expect(parsed).toMatchObject({ value: { messages: [{ content: [{ source: { data: `large-text-${"0".repeat(32)}` } }] }], pad: base64 } });
});

test.each([
  ["too many numbers", `[${"1,".repeat(150_000)}1]`, "too_many_values"],
  ["too many brackets", "[".repeat(150_000), "too_many_values"],
  ["too many strings", `[${'"",'.repeat(60_000)}""]`, "too_many_values"],
  ["too much text", JSON.stringify("word ".repeat(2_000_000)), "too_much_text"],
  ["a string without an end", `{"a":"${"b".repeat(10_000)}`, "bad_json"],
  ["a string that ends in a backslash", `{"a":"${"b".repeat(10_000)}\\"`, "bad_json"],
  ["only white space", " ".repeat(2_000_000), "bad_json"],
])("refused: %s", (_case, body, problem) => {
  expect(parse(body)).toEqual({ problem });
});

test("a body of escapes alone takes one pass", () => {
  expect(parse({ a: '"'.repeat(3_000_000) })).toMatchObject({ value: { a: '"'.repeat(3_000_000) } });
});
