import { expect, test } from "vitest";
import { readDirectives, readPromptBehaviour, withoutDirectives } from "./behaviour";

test("directives are read from anywhere in the prompt, several at once and in several blocks", () => {
  const { behaviour, problems } = readPromptBehaviour("Hello [[simulate: status=429 retry-after=2]] there [[simulate:hang]]");
  expect(problems).toEqual([]);
  expect(behaviour).toEqual({ status: 429, retryAfterSeconds: 2, hang: true });
});

test("each directive sets its behaviour", () => {
  const text =
    "delay=2000 keep-alive=100 close-midway error-midway rubbish rubbish-midway stall-after=3 slow=50 usage=in:5,out:999999999 " +
    'no-usage usage-negative reasoning=50 cached=7 tokens=500 filtered text="a \\"quoted\\" ]] text\\nand more" tool=look,find args="{\\"a\\":1}"';
  expect(readDirectives(text)).toEqual({
    problems: [],
    behaviour: {
      delayMs: 2000,
      keepAliveMs: 100,
      closeMidway: true,
      errorMidway: true,
      rubbish: true,
      rubbishMidway: true,
      stallAfter: 3,
      slowMs: 50,
      usage: { inputTokens: 5, outputTokens: 999_999_999 },
      noUsage: true,
      usageNegative: true,
      reasoningTokens: 50,
      cachedTokens: 7,
      answerTokens: 500,
      filtered: true,
      tools: ["look", "find"],
      toolArguments: '{"a":1}',
      text: 'a "quoted" ]] text\nand more',
    },
  });
});

test("`tool` works without a name, but not with an empty one", () => {
  expect(readDirectives("tool")).toEqual({ behaviour: { tools: [] }, problems: [] });
  expect(readDirectives("tool=a,,b args").problems).toEqual([
    "`tool=a,,b` wants names of functions: NAME or NAME,OTHER",
    '`args` wants args="{…}"',
  ]);
});

test("a text may contain what looks like the end of the block", () => {
  expect(readPromptBehaviour('[[simulate: text="x ]] y"]] rest').behaviour).toEqual({ text: "x ]] y" });
  expect(withoutDirectives('[[simulate: text="x ]] y"]] rest')).toBe("rest");
});

test("a block without an end is text, and so is what follows it", () => {
  for (const prompt of ["x [[simulate: hang", 'x [[simulate: text="a]] [[simulate: hang]]', "x [[simulate: hang ] ]"]) {
    expect(readPromptBehaviour(prompt)).toEqual({ behaviour: {}, problems: [] });
    expect(withoutDirectives(prompt)).toBe(prompt);
  }
  expect(withoutDirectives("x [[simulate: hang]] y [[simulate: hang")).toBe("x   y [[simulate: hang");
  expect(readPromptBehaviour("x [[simulate: hang]] y [[simulate: delay=1").behaviour).toEqual({ hang: true });
});

test("an invalid directive is named, and the others still apply", () => {
  const { behaviour, problems } = readDirectives("staus=500 delay=soon hang=1 tokens=9");
  expect(behaviour).toEqual({ answerTokens: 9 });
  expect(problems).toEqual([
    expect.stringContaining("`staus=500` is not one of status,"),
    "`delay=soon` wants a whole number from 0 to 3600000",
    "`hang=1` takes no value",
  ]);
});

test("of many invalid directives the first are named", () => {
  expect(readDirectives("wrong ".repeat(10_000)).problems).toHaveLength(20);
});

test("a prompt without directives is unchanged", () => {
  expect(readPromptBehaviour("simulate: status=500")).toEqual({ behaviour: {}, problems: [] });
  expect(withoutDirectives("  as it is ")).toBe("  as it is ");
});
