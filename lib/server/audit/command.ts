// `npm run audit -- verify [<sequence>:<digest>] | list [<account>]`: walks the chain of the audit log, of the database in DATABASE_URL or of
// the sandbox in DATA_DIR, and says where it breaks; or prints the newest entries.

import { chainEntries, findDifference, readHead, verifyChain } from "@/lib/audit/chain";
import type { Head } from "@/lib/audit/digest";
import { printableEntries } from "@/lib/audit/entries";
import { withPresentDatabase } from "../present-database";

const usage = `npm run audit -- verify                        walk the whole chain, and print its head
npm run audit -- verify <sequence>:<digest>    also compare it with a head that was kept outside
npm run audit -- list [account]                print the newest 100 entries
`;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const commands: Readonly<Record<string, (word: string | undefined) => Promise<void>>> = { verify, list };

/** Exit code 0 when the chain holds or the list was printed; 1 when not, and the message says where it breaks. */
export async function main(): Promise<void> {
  const [name = "", word, ...more] = process.argv.slice(2);
  const command = commands[name];
  if (!command || more.length > 0 || (name === "verify" && word !== undefined && readKept(word) === null)) {
    process.stderr.write(usage);
    process.exitCode = 1;
    return;
  }
  try {
    await withPresentDatabase(() => command(word));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

function readKept(word: string): Head | null {
  const [, sequence, digest] = /^(\d{1,18}):([0-9a-f]{64})$/.exec(word) ?? [];
  return sequence === undefined || digest === undefined ? null : { sequence: BigInt(sequence), digest };
}

async function verify(word: string | undefined): Promise<void> {
  await chainEntries();
  const { head, fault } = await verifyChain();
  if (fault !== null)
    throw new Error(`The audit log is broken: ${fault}. The entries before ${head.sequence + 1n} are as they were chained.`);
  const kept = word === undefined ? null : readKept(word);
  const difference = kept && (await findDifference(kept));
  if (difference !== null) throw new Error(`The audit log is broken: ${difference}.`);
  const { sequence, digest } = await readHead();
  print(`The audit log holds: ${sequence} entries, each as it was chained.`);
  print(`Keep its head outside of this database: ${sequence}:${digest}`);
}

async function list(account: string | undefined): Promise<void> {
  for (const line of await printableEntries(account)) print(line);
}
