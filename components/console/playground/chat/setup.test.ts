// The set-up: what is taken, and what is said of what is not.

import { expect, test } from "vitest";
import { emptySetup, MAX_JSON_LENGTH, readSetup } from "./setup";

const setup = { ...emptySetup("grok"), maxTokens: "" };
const problemsOf = (part: object) => readSetup({ ...setup, ...part }, 100).problems;

test("empty fields ask for nothing", () => {
  const undefinedFields = {
    system: undefined,
    maxTokens: undefined,
    temperature: undefined,
    effort: undefined,
    tools: undefined,
    schema: undefined,
  };
  expect(readSetup(setup, 100)).toEqual({ options: { model: "grok", ...undefinedFields }, problems: {} });
});

test("a form reports invalid numbers", () => {
  for (const maxTokens of ["0", "101", "1.5", "x", "1e9"])
    expect(problemsOf({ maxTokens }).maxTokens).toBe("Enter a whole number from 1 to 100.");
  for (const temperature of ["-1", "2.1", "warm"]) expect(problemsOf({ temperature }).temperature).toBe("Enter a number from 0 to 2.");
});

test("tools are taken nested and flat, one or several, and schemas bare and named", () => {
  const parameters = { type: "object" };
  const nested = { type: "function", function: { name: "f", description: "d", parameters } };
  const flat = { type: "function", name: "f", description: "d", parameters };
  for (const given of [[nested], [flat], nested, flat]) {
    expect(readSetup({ ...setup, tools: JSON.stringify(given) }, 100)).toMatchObject({ options: { tools: [nested] }, problems: {} });
  }
  const schema = { type: "object" };
  expect(readSetup({ ...setup, schema: JSON.stringify(schema) }, 100).options.schema).toEqual({ name: "answer", schema });
  expect(readSetup({ ...setup, schema: JSON.stringify({ name: "n", schema }) }, 100).options.schema).toEqual({ name: "n", schema });
});

test.each([
  [{ tools: "[\n{]" }, { tools: "This is not valid JSON. Check line 2." }],
  [{ tools: "[]" }, { tools: "Enter at least one tool, or leave the field empty." }],
  [{ tools: '[{"name":"a b"}]' }, { tools: expect.stringMatching(/^Tool 1 needs a name/) }],
  [{ tools: "3" }, { tools: expect.stringMatching(/^Tool 1 needs a name/) }],
  [{ tools: JSON.stringify(Array.from({ length: 129 }, () => ({ name: "f" }))) }, { tools: "Enter at most 128 tools. This has 129." }],
  [{ schema: "[]" }, { schema: expect.stringMatching(/^Enter a JSON Schema/) }],
  [{ schema: `"${"x".repeat(MAX_JSON_LENGTH)}"` }, { schema: "Enter at most 64,000 characters. This has 64,002." }],
])("%j is refused with what is wrong", (part, problems) => {
  expect(problemsOf(part)).toEqual(problems);
});
