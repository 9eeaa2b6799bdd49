// Asks the operator before a command does anything that cannot be taken back. Scripts say --yes.

import { once as nextEvent } from "node:events";
import { createInterface } from "node:readline/promises";

/**
 * @param isConfirmed nobody is asked
 * @throws Error unless the answer is yes
 */
export async function confirm(question: string, isConfirmed: boolean): Promise<void> {
  if (isConfirmed) return;
  if (!process.stdin.isTTY) throw new Error("Nothing was done. If it is right, run the command again in a terminal, or with --yes.");
  const typed = createInterface({ input: process.stdin, output: process.stderr });
  const closed = nextEvent(typed, "close").then(() => ""); // Ctrl-C, or no more input
  const asked = typed.question(`${question} (yes/no) `).catch(() => "");
  const answer = await Promise.race([asked, closed]);
  typed.close();
  if (answer.trim().toLowerCase() !== "yes") throw new Error("Nothing was done.");
}
