// Reads a secret from standard input: typed without echo, a new one twice, or piped.

import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";

/** What a person types after `question`, without echo; or the whole piped input. */
export async function readSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return text(process.stdin);
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const typed = createInterface({ input: process.stdin, output: unseen, terminal: true });
  typed.on("SIGINT", () => process.exit(130)); // Ctrl-C: nothing has been written
  const closed = new Promise<never>((_, refuse) =>
    typed.once("close", () => refuse(new Error("Nothing was entered, so nothing was done."))),
  );
  process.stderr.write(question); // only now, with the echo off
  try {
    return await Promise.race([typed.question(""), closed]);
  } finally {
    typed.close();
    process.stderr.write("\n");
  }
}

/**
 * A new secret, typed twice: an unnoticed typo would lock up for good what it protects. Piped input is read once.
 * @throws Error when the two differ
 */
export async function readNewSecret(question: string): Promise<string> {
  const secret = await readSecret(`${question}: `);
  if (!process.stdin.isTTY || (await readSecret(`${question} (repeat): `)) === secret) return secret;
  throw new Error("The passphrases do not match. Nothing was changed.");
}
