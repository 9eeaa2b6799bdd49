// Our own count of tokens: exact, whatever the text, and never in anybody's way.

import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { runAtOnce } from "@/lib/base/slices";
import { bundleProgram } from "@/lib/db/testing/programs";
import { fixtures, glue, prose, scrap } from "../testing/scraps";
import { trueCount } from "../testing/tokenizers";
import { countInSlices, type Encoding, loadTokenizer, type TokenCount } from "./count";
import { MAX_CHARACTERS, takeSample } from "./sample";
import { type CounterOptions, TokenCounter } from "./token-counter";

const encodings = ["o200k", "cl100k"] as const;
const tokenizers = { o200k: await loadTokenizer("o200k"), cl100k: await loadTokenizer("cl100k") };

const totalOf = (count: TokenCount | undefined): number => (count?.ascii ?? 0) + (count?.beyondAscii ?? 0);

function countOf(text: string, encoding: Encoding): number {
  const [count] = runAtOnce(countInSlices({ groups: [[text]], tools: "" }, tokenizers[encoding]));
  return totalOf(count);
}

describe.each(encodings)("%s", (encoding) => {
  test("a text has as many tokens as the tokenizer makes of it", () => {
    for (const [, text] of fixtures) {
      expect(countOf(text, encoding)).toBe(trueCount[encoding](text));
      for (let start = 0; start < text.length; start += 97) {
        const piece = text.slice(start, start + 211);
        expect(countOf(piece, encoding)).toBe(trueCount[encoding](piece));
      }
    }
    const short = fc.array(scrap, { maxLength: 24 }).map(glue);
    const property = fc.property(short, (text) => {
      // Longer runs without a border are the next test's.
      fc.pre([...text.matchAll(tokenizers[encoding].splitPattern)].every(([run]) => run.length <= 128));
      expect(countOf(text, encoding)).toBe(trueCount[encoding](text));
    });
    fc.assert(property, { numRuns: 500 });
  });

  test("the name of a special token inside a text is plain text", () => {
    expect(countOf("<|endoftext|><|im_start|>", encoding)).toBeGreaterThan(8);
  });

  test("a run without a border is counted in parts, and never above the truth", () => {
    const runs = ["a", "aB", "ab1", " ", "\n", " \n", "=", "-=", "ſ", "😀", "日本", "ก", "\u0301", "\0"].map((part) => part.repeat(1_500));
    const property = fc.property(fc.array(fc.integer({ min: 97, max: 122 }), { minLength: 129, maxLength: 1_000 }), (codes) => {
      const text = String.fromCharCode(...codes);
      expect(countOf(text, encoding)).toBeLessThanOrEqual(trueCount[encoding](text));
    });
    for (const text of runs) expect(countOf(text, encoding)).toBeLessThanOrEqual(trueCount[encoding](text));
    fc.assert(property, { numRuns: 50 });
  });
});

test("no text makes the tokenizer take the square of its length: it gets short pieces only", () => {
  const longest = Math.max(
    ...["a", " ", "\n", " \n", "\t \t ", "!?", "😀", "日", "\ud83d", "\u0301", "x y ", "1"].map((part) => {
      let most = 0;
      const spying = {
        ...tokenizers.o200k,
        count: (text: string) => {
          most = Math.max(most, text.length);
          return 1;
        },
      };
      runAtOnce(countInSlices({ groups: [[part.repeat(MAX_CHARACTERS / part.length)]], tools: "" }, spying));
      return most;
    }),
  );
  expect(longest).toBeLessThanOrEqual(1_024);
});

test("functions are counted as the TypeScript that OpenAI's models see, and a schema that is none as it is", () => {
  const tools = (parameters: unknown) => JSON.stringify([{ name: "get_weather", description: "Weather of a city", parameters }]);
  const count = (json: string) => totalOf(runAtOnce(countInSlices({ groups: [], tools: json }, tokenizers.o200k)).at(-1));
  const good = tools({ type: "object", properties: { city: { type: "string", description: "Its name" } }, required: ["city"] });
  const type = "// Weather of a city\ntype get_weather = (_: {\n// Its name\ncity: string,\n}) => any;";
  const written = `namespace functions {\n\n${type}\n\n} // namespace functions`;
  expect(count(good)).toBe(trueCount.o200k(written));
  const bad = tools({ type: "object", properties: { city: null } });
  expect(count(bad)).toBe(trueCount.o200k(bad));
  expect(count("")).toBe(0);
});

test("of a long text a sample is counted, and comes within three per cent of the whole", () => {
  const whole = Array.from({ length: 3_000 }, (_, index) => fixtures[(index * 7) % fixtures.length]?.[1] ?? "");
  const truth = whole.reduce((sum, text) => sum + trueCount.o200k(text), 0);
  const { texts, isWhole, scale } = takeSample(whole, Math.random);
  expect(isWhole).toBe(false);
  expect(texts.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(MAX_CHARACTERS);
  const [count = { ascii: 0, beyondAscii: 0 }] = runAtOnce(countInSlices({ groups: [texts], tools: "" }, tokenizers.o200k));
  expect(Math.abs(totalOf(scale(count)) / truth - 1)).toBeLessThan(0.03);
});

test("a sample of one text or of many begins anywhere, and holds nothing twice", () => {
  const text = Array.from({ length: MAX_CHARACTERS / 4 }, (_, index) => String.fromCharCode(0x4e00 + (index % 20_000)))
    .join("")
    .repeat(8);
  for (const texts of [[text], text.match(/.{1,1000}/gsu) ?? []]) {
    for (const random of [() => 0, () => 0.999_999, Math.random]) {
      const sample = takeSample(texts, random);
      expect(sample.texts.join("")).toHaveLength(MAX_CHARACTERS);
      let from = 0;
      for (const piece of sample.texts) {
        const at = text.indexOf(piece, from);
        expect(at).toBeGreaterThanOrEqual(from);
        from = at + piece.length;
      }
    }
  }
});

/** Limits that no machine is too slow for. */
const patient: CounterOptions = {
  bundle: null,
  jobTimeoutMs: 60_000,
  startTimeoutMs: 60_000,
  waitTimeoutMs: 60_000,
  idleMs: 60_000,
  maxWaiting: 8,
  maxWaitingOfOne: 8,
};

function open(options: Partial<CounterOptions> = {}): (text: string, owner?: string) => Promise<number | null> {
  const counter = new TokenCounter({ ...patient, ...options });
  onTestFinished(() => counter.end());
  return async (text, owner = "one") => {
    const counts = await counter.count({ encoding: "o200k", groups: [[text]], tools: "" }, owner);
    return counts && totalOf(counts.groups[0]);
  };
}

const [, text = ""] = prose[0] ?? [];

test.each([
  ["its own thread", () => bundleProgram("lib/providers/token-count/worker.ts")],
  ["the main loop", () => null],
])("counts in %s, one job after the other, and long texts as well", async (_, bundle) => {
  const count = open({ bundle: bundle() });
  expect(await Promise.all([count(text), count(""), count("one two")])).toEqual([trueCount.o200k(text), 0, 2]);
  expect(await count("one two ".repeat(100_000))).toBeGreaterThan(190_000);
});

const faulty = () => bundleProgram("lib/providers/testing/faulty-counter.ts");

test.each(["exits", "throws"])("a thread that %s fails its own job only", async (fault) => {
  const count = open({ bundle: faulty() });
  expect(await Promise.all([count("abc"), count(fault), count("abcd")])).toEqual([3, null, 4]);
});

test("a thread that hangs is ended, and replaced for the next job", async () => {
  const count = open({ bundle: faulty(), jobTimeoutMs: 2_000, startTimeoutMs: 0 });
  expect(await Promise.all([count("hangs"), count("abcd")])).toEqual([null, 4]);
});

test("a thread that cannot be started fails no job of the next ones' limits", async () => {
  const count = open({ bundle: "/nowhere/worker.mjs" });
  expect(await Promise.all([count("abc"), count("abc")])).toEqual([null, null]);
});

test("one owner cannot fill the counter, and all of them together only up to its limit", async () => {
  const count = open({ bundle: faulty(), waitTimeoutMs: 100, maxWaiting: 3, maxWaitingOfOne: 2 });
  const first = count("waits");
  const refused: string[] = [];
  const note = async (name: string, owner: string) => {
    if ((await count(name, owner)) === null) refused.push(name);
  };
  const waiting = [note("a", "one"), note("b", "one"), note("its third", "one"), note("c", "other"), note("a fourth", "other")];
  await Promise.all(waiting);
  // At once those beyond the limits, then those that waited for too long.
  expect(refused).toEqual(["its third", "a fourth", "a", "b", "c"]);
  expect(await Promise.race([first, "still counting"])).toBe("still counting");
});

test("owners are served in turn: one who has many jobs waits for the others", async () => {
  const count = open({ bundle: faulty() });
  const done: string[] = [];
  const note = (name: string, owner: string) => count(name, owner).then(() => done.push(name));
  await Promise.all([note("a", "one"), note("b", "one"), note("c", "one"), note("d", "other")]);
  expect(done).toEqual(["a", "d", "b", "c"]);
});

test("a counter that is closed answers all at once that it did not count: a process that ends waits for nothing", async () => {
  const counter = new TokenCounter({ ...patient, bundle: faulty() });
  const count = (name: string) => counter.count({ encoding: "o200k", groups: [[name]], tools: "" }, "one");
  const counts = [count("waits"), count("a"), count("b")];
  counter.close();
  expect(await Promise.all([...counts, count("c")])).toEqual([null, null, null, null]);
});
