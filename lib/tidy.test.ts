// The project's own rules, which linters do not know, checked against every file. lib/tidy/rules.test.ts proves that each fires.

import { fileURLToPath } from "node:url";
import { test } from "vitest";
import { rules } from "./tidy/rules";
import { type Problem, readTree } from "./tidy/tree";

const tree = readTree(fileURLToPath(new URL("..", import.meta.url)));

const say = ({ file, line, message }: Problem) => `  ${file}${line ? `:${line}` : ""} ${message}`;

/** On a fresh clone regexes are proved for seven seconds of CPU time, and a busy machine gives a tenth of that. */
const timeout = 300_000;

test.each(rules)("%s", { timeout }, (_promise, rule) => {
  const problems = rule(tree).map(say);
  if (problems.length === 0) return;
  const failure = new Error(`${problems.length} to mend:\n${problems.join("\n")}`);
  // The stack of this file does not help.
  failure.stack = "";
  throw failure;
});
