// The journal: the file from which the chain is restored. Lines are append-only, each with a checksum, and written before the response, so
// that a killed process loses nothing; no response was sent for a line that a crash cut off. The journal is compacted at each start.

import { existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { assert } from "@/lib/base/assert";
import type { TransactionRecord } from "./runtime/transaction-record";

/** Address, lamports, owner, data in base64, and whether it is a program. Zero lamports means deleted. */
export type AccountEntry = [string, number, string, string, boolean];

export type JournalEntry =
  /** The first line. Both secrets are 32 bytes, hex. */
  | { chain: 1; seed: string; faucetSeed: string }
  /** Slots up to this one may have been used. */
  | { slots: number }
  | { accounts: AccountEntry[]; transaction?: TransactionRecord };

export class Journal {
  readonly #path: string;
  #file: number | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * All lines, none when the file does not exist yet. An unterminated last line is left out: rewrite the file before appending.
   * @throws Error that says what to do when the file is damaged
   */
  read(): JournalEntry[] {
    return existsSync(this.#path) ? readEntries(this.#path) : [];
  }

  append(line: JournalEntry): void {
    assert(this.#file !== null, "a journal is written anew before lines are appended");
    try {
      writeLine(this.#file, JSON.stringify(line));
    } catch (error) {
      // Most likely a full disk. Exit, since responses must never diverge from the persisted state: the next process continues from that.
      process.stderr.write(`${this.#path} cannot be written: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(1);
    }
  }

  /**
   * Replaces all lines atomically: a crash leaves the old file or the new one.
   * @param lines entries, as JSON
   */
  rewrite(lines: Iterable<string>): void {
    mkdirSync(dirname(this.#path), { recursive: true });
    const beside = `${this.#path}.new`;
    const file = openSync(beside, "w", 0o600);
    for (const line of lines) writeLine(file, line);
    fsyncSync(file);
    renameSync(beside, this.#path);
    // The file was renamed, so this handle is the journal's file now.
    this.#file = file;
  }
}

function writeLine(file: number, json: string): void {
  const bytes = Buffer.from(`${checksum(json)} ${json}\n`);
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}

const checksum = (json: string): string => crc32(json).toString(16).padStart(8, "0");

function readEntries(path: string): JournalEntry[] {
  const bytes = readFileSync(path);
  const entries: JournalEntry[] = [];
  for (let start = 0, number = 1; start < bytes.length; number++) {
    const end = bytes.indexOf(10, start);
    if (end < 0) break; // No response was sent for this line.
    const read = readLine(bytes.toString("utf8", start, end));
    if (read === null) throw damaged(path, number);
    entries.push(read);
    start = end + 1;
  }
  // Written completely before it gets its name: a crash leaves not even an empty file.
  const [first] = entries;
  if (first === undefined || !("chain" in first)) throw damaged(path, 1);
  return entries;
}

/** Null when the line is damaged. */
function readLine(line: string): JournalEntry | null {
  const json = line.slice(9);
  return line.slice(0, 9) === `${checksum(json)} ` ? (JSON.parse(json) as JournalEntry) : null;
}

function damaged(path: string, line: number): Error {
  return new Error(
    `${path} is damaged in line ${line}: restore it from a backup, or delete all of the sandbox's data directory for a new sandbox. ` +
      "The file alone can not be replaced by an empty one: the database remembers deposits on this chain.",
  );
}
