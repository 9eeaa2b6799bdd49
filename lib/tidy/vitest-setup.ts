// Runs before every test file: a console.error during a test fails that test. Product code logs through lib/base/observe, so output on the
// console is a warning of React or Node, or an error that was swallowed.

import { format } from "node:util";
import { afterAll, afterEach } from "vitest";

const printed: string[] = [];
const print = console.error;

console.error = (...values: unknown[]) => {
  printed.push(format(...values));
  print(...values);
};

function failWhenPrinted(): void {
  const lines = printed.splice(0);
  if (lines.length > 0)
    throw new Error(`console.error was called: mend its cause, or log through lib/base/observe/log.\n${lines.join("\n")}`);
}

afterEach(failWhenPrinted);
// Output after the last test, or in a hook of the file.
afterAll(failWhenPrinted);
