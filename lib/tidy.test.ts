// The project's own rules, which linters do not know, checked against every file. lib/tidy/rules.test.ts proves that each fires.

import { fileURLToPath } from "node:url";
import { test } from "vitest";
import { rules } from "./tidy/rules";
import { type Problem, readTree } from "./tidy/tree";

const tree = readTree(fileURLToPath(new URL("..", import.meta.url)));

const say = ({ file, line, message }: Problem) => `  ${file}${line ? `:${line}` : ""} ${message}`;

test.each(rules)("%s", (_promise, rule) => {
  const problems = rule(tree).map(say);
  if (problems.length === 0) return;
  const failure = new Error(`${problems.length} to mend:\n${problems.join("\n")}`);
  // The stack of this file does not help.
  failure.stack = "";
  throw failure;
});
