// A secret from standard input: typed without being shown, or piped.

import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";

/** What a person types after `question`, unseen; what is piped, whole. */
export async function readSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return text(process.stdin);
  process.stderr.write(question);
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const typed = createInterface({ input: process.stdin, output: unseen, terminal: true });
  typed.on("SIGINT", () => process.exit(130)); // Ctrl-C: nothing has been written
  try {
    return await typed.question("");
  } finally {
    typed.close();
    process.stderr.write("\n");
  }
}
