// Writes a journal until the kernel refuses, twice more, and prints how often it wrote and why it could not.

import { nowMs } from "@/lib/base/clock";
import { randomBase62 } from "@/lib/base/ids";
import { openJournal } from "../limits/journal";

const journal = await openJournal(process.argv[2] ?? "", { maxOldLines: Number(process.argv[3]) });
const refused: string[] = [];
let written = 0;
while (refused.length < 2) {
  try {
    await journal.append({ kind: "admitted", atMs: nowMs(), nonce: randomBase62(22), text: "ab".repeat(32), amount: 5n });
    written += 1;
  } catch (error) {
    refused.push(error instanceof Error ? error.message : "");
  }
}
process.stdout.write(JSON.stringify({ written, refused }));
