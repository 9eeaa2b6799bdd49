// Captures the process's log instead of printing it, and checks it at the end: keys, the pepper, prompts and answers must not be in it.

import fs from "node:fs";
import { expect } from "vitest";
import { log } from "@/lib/base/observe/log";

export interface CapturedLog {
  text(): Promise<string>;
  /** Checks for the given texts, and for any API key, prompt or answer of the suite. */
  expectNoSecrets(texts: readonly string[]): Promise<void>;
}

/** Every prompt of the suite contains it, so that one search finds any of them. */
export const PROMPT_WORD = "quokka";
/** The simulated models begin every answer with it. */
const ANSWER_WORDS = "Simulated answer";
const anyKey = /pp_[0-9A-Za-z]{12,}/;

/** Replaces standard output for the logger until this process ends; the real logger with its real settings stays in use. */
export function captureLog(): CapturedLog {
  const written: string[] = [];
  const write = fs.write;
  // The logger's stream writes through this very function and property; standard output is file descriptor 1.
  const capture = (fd: number, ...rest: unknown[]): void => {
    if (fd !== 1) return void Reflect.apply(write, fs, [fd, ...rest]);
    const text = String(rest[0]);
    written.push(text);
    const done = rest.at(-1);
    if (typeof done === "function") setImmediate(() => done(null, Buffer.byteLength(text)));
  };
  Object.assign(fs, { write: Object.assign(capture, write) });
  const text = async () => {
    await new Promise((flushed) => log().flush(flushed));
    return written.join("");
  };
  return {
    text,
    expectNoSecrets: async (texts) => {
      const all = await text();
      expect(all, "the log was not captured").toContain('"answered"');
      for (const secret of [...texts, PROMPT_WORD, ANSWER_WORDS]) expect(all.includes(secret), `the log holds ${secret}`).toBe(false);
      expect(anyKey.exec(all)?.[0]).toBeUndefined();
    },
  };
}
