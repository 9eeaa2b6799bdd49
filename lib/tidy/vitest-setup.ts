// Runs before every test file. Files share the modules of their worker, which saves a third of the run's time: changes that one file leaves
// in process singletons and in the environment are therefore put back here. And a console.error during a test fails that test: product code
// logs through lib/base/observe, so the console shows only a warning of React or Node, or a swallowed error.

import { format } from "node:util";
import { afterAll, afterEach, vi } from "vitest";
import { forgetAllSingletons } from "../base/process-singleton";

interface Worker {
  environment: Readonly<Record<string, string | undefined>>;
  print: typeof console.error;
}

const worker = findWorker();

function findWorker(): Worker {
  const key = Symbol.for("pennyprompt test worker");
  const holder = globalThis as { [key]?: Worker };
  holder[key] ??= { environment: { ...process.env }, print: console.error };
  return holder[key];
}

const ofTheRunner = /^(?:VITEST|TINYPOOL|NODE_OPTIONS$)/;

function restoreEnvironment(): void {
  for (const name of Object.keys(process.env)) if (!(name in worker.environment) && !ofTheRunner.test(name)) delete process.env[name];
  for (const [name, value] of Object.entries(worker.environment))
    if (!ofTheRunner.test(name) && process.env[name] !== value) process.env[name] = value;
}

restoreEnvironment();
forgetAllSingletons();
vi.useRealTimers();

const printed: string[] = [];

console.error = (...values: unknown[]) => {
  printed.push(format(...values));
  worker.print(...values);
};

function failWhenPrinted(): void {
  const lines = printed.splice(0);
  if (lines.length > 0)
    throw new Error(`console.error was called: mend its cause, or log through lib/base/observe/log.\n${lines.join("\n")}`);
}

afterEach(failWhenPrinted);
// Output after the last test, or in a hook of the file.
afterAll(failWhenPrinted);
