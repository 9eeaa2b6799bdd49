// The signer's payments, on its own disk: a line is written and synced before the signature that it stands for leaves, so that neither a
// restart nor access to the database loses it. Each line is digested with all lines before it: a damaged line is noticed.

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readFile, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { DAY_MS, nowMs } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { replacePrivate, syncFolderOf } from "../private-file";

const nonce = z.string().regex(/^[0-9A-Za-z]{22}$/);
const amount = z.codec(z.string().regex(/^\d{1,19}$/), z.bigint(), { decode: (text) => BigInt(text), encode: (value) => value.toString() });

const entryForm = z.discriminatedUnion("kind", [
  /** An order takes from the day's limit. `text` is the SHA-256 of the text that its owner signed; `amount` is nano-USD. */
  z.strictObject({ kind: z.literal("admitted"), atMs: z.int(), nonce, text: z.string().regex(/^[0-9a-f]{64}$/), amount }),
  /** On Solana: the transaction that may pay it from now on. */
  z.strictObject({
    kind: z.literal("signed"),
    atMs: z.int(),
    nonce,
    signature: z.string().max(100),
    lastValidBlockHeight: z.int(),
    slot: z.int(),
  }),
]);

/**
 * The operator has set back a clock that was ahead: the lines dated by it count from here on. No order to the signer can write this line.
 */
const correctionForm = z.strictObject({ kind: z.literal("clock"), atMs: z.int() });

const lineForm = z.union([entryForm, correctionForm]);

export type JournalEntry = z.output<typeof entryForm>;
type JournalLine = z.output<typeof lineForm>;

export interface Journal {
  /** Of earlier runs, oldest first. */
  readonly entries: readonly JournalEntry[];
  /**
   * Resolves once the entry is on the disk. Call it again only after that.
   * @throws Error that says what to do; then the entry does not count
   */
  append(entry: JournalLine): Promise<void>;
  /** Nothing is written any more. */
  close(): Promise<void>;
}

/** For a sandbox, whose money is play money, and for tests: it forgets at a restart. */
export const createMemoryJournal = (): Journal => ({
  entries: [],
  append: async () => undefined,
  close: async () => undefined,
});

export const journalPath = (directory: string): string => join(directory, "payouts.journal");
const FIRST_DIGEST = "0".repeat(32);
/** An order lives seven days after it was made, and is made no later than minutes after it is admitted; an older line decides nothing. */
export const KEPT_MS = 8 * DAY_MS;
/** A start that finds more old lines than this writes the file anew, without them. */
const MAX_OLD_LINES = 10_000;

const digestOf = (before: string, json: string): string =>
  createHash("sha256").update(`${before}\n${json}`).digest("hex").slice(0, FIRST_DIGEST.length);

function writeLine(before: string, entry: JournalLine): { line: string; digest: string } {
  const json = JSON.stringify(z.encode(lineForm, entry));
  const digest = digestOf(before, json);
  return { line: `${digest} ${json}\n`, digest };
}

interface Lines {
  entries: JournalEntry[];
  digest: string;
  /** Bytes of whole lines; the bytes after them were never synced, and no signature left for them. */
  bytes: number;
  isTorn: boolean;
}

/**
 * Opens the journal in `directory`, which belongs to one signer alone; creates it when it is missing.
 * @throws Error that says what to do when it is damaged, or cannot be written
 */
export async function openJournal(directory: string, { maxOldLines = MAX_OLD_LINES } = {}): Promise<Journal> {
  const path = journalPath(directory);
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw unusable(path, error);
  });
  const lines = readLines(await readText(path), path);
  // Not by the clock alone: if it is ahead, every line would be old.
  const since = Math.min(nowMs(), latestOf(lines.entries)) - KEPT_MS;
  const kept = lines.entries.filter(({ atMs }) => atMs > since);
  const isLong = lines.entries.length - kept.length > maxOldLines;
  return isLong ? openAt(path, await rewrite(path, kept)) : openAt(path, { ...lines, entries: kept });
}

/**
 * Writes down that this machine's clock is right, although the journal in `directory` has later entries. They count as if they had been
 * written now: for a whole day, so that no limit is forgotten. No signer may be using the journal.
 * @returns when the latest of them was written; null, and nothing is written, when none is later
 */
export async function correctClock(directory: string): Promise<Date | null> {
  const journal = await openJournal(directory);
  try {
    const latestMs = latestOf(journal.entries);
    if (latestMs <= nowMs()) return null;
    await journal.append({ kind: "clock", atMs: nowMs() });
    return new Date(latestMs);
  } finally {
    await journal.close();
  }
}

const latestOf = (entries: readonly JournalEntry[]): number => entries.reduce((latest, { atMs }) => Math.max(latest, atMs), 0);

async function readText(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      log().warn({ path }, "the signer begins a new journal: it counts payouts of the last day from now on");
      return Buffer.alloc(0);
    }
    throw unusable(path, error);
  }
}

function readLines(content: Buffer, path: string): Lines {
  const bytes = content.lastIndexOf("\n") + 1;
  const isTorn = bytes < content.length;
  if (isTorn) log().warn({ path }, "the journal's last line was cut off while it was written; nothing was signed for it");
  let digest = FIRST_DIGEST;
  const read: JournalLine[] = [];
  for (const [at, line] of content.subarray(0, bytes).toString("utf8").split("\n").slice(0, -1).entries()) {
    const entry = readLine(line, digest);
    if (entry === null) throw damaged(path, at + 1);
    read.push(entry);
    digest = line.slice(0, FIRST_DIGEST.length);
  }
  return { entries: applyCorrections(read), digest, bytes, isTorn };
}

/** The entries, none of them later than a correction of the clock that follows it. */
function applyCorrections(lines: readonly JournalLine[]): JournalEntry[] {
  let latestMs = Number.POSITIVE_INFINITY;
  const entries: JournalEntry[] = [];
  for (const line of lines.toReversed()) {
    if (line.kind === "clock") latestMs = Math.min(latestMs, line.atMs);
    else entries.push({ ...line, atMs: Math.min(line.atMs, latestMs) });
  }
  return entries.reverse();
}

function readLine(line: string, before: string): JournalLine | null {
  const json = line.slice(FIRST_DIGEST.length + 1);
  if (!line.startsWith(`${digestOf(before, json)} `)) return null;
  try {
    return z.decode(lineForm, JSON.parse(json));
  } catch {
    return null;
  }
}

const damaged = (path: string, line: number): Error =>
  new Error(
    `Line ${line} of ${path} is damaged, so it is not known what was paid in the last day. Restore the file from a backup that is newer than ` +
      "the last payout. If there is none, wait until no withdrawal is under way (npm run withdrawals -- list), and until 24 hours have " +
      "passed since the last payout; then move the file away.",
  );

const isFull = (error: unknown): boolean => ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "");
const FREE_SPACE = "The disk is full: free space.";

const unusable = (path: string, cause: unknown): Error =>
  new Error(
    `SIGNER_STATE_DIR: the journal ${path} cannot be read or written (${(cause as NodeJS.ErrnoException).code ?? "unknown"}). ` +
      (isFull(cause) ? FREE_SPACE : "Give the signer's user a directory of its own there."),
    { cause },
  );

async function rewrite(path: string, entries: JournalEntry[]): Promise<Lines> {
  let digest = FIRST_DIGEST;
  let text = "";
  for (const entry of entries) {
    const next = writeLine(digest, entry);
    digest = next.digest;
    text += next.line;
  }
  await replacePrivate(path, text).catch((error: unknown) => {
    throw unusable(path, error);
  });
  return { entries, digest, bytes: Buffer.byteLength(text), isTorn: false };
}

async function openAt(path: string, lines: Lines): Promise<Journal> {
  try {
    const handle = await open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600);
    // Only a torn line is cut off: another signer may have written since this one read.
    if (lines.isTorn) await handle.truncate(lines.bytes);
    await handle.sync();
    await syncFolderOf(path);
    return new FileJournal(path, handle, lines);
  } catch (error) {
    throw unusable(path, error);
  }
}

class FileJournal implements Journal {
  readonly entries: readonly JournalEntry[];
  readonly #path: string;
  readonly #handle: FileHandle;
  #digest: string;
  #bytes: number;

  constructor(path: string, handle: FileHandle, { entries, digest, bytes }: Lines) {
    this.#path = path;
    this.#handle = handle;
    this.entries = entries;
    this.#digest = digest;
    this.#bytes = bytes;
  }

  async append(entry: JournalLine): Promise<void> {
    const { line, digest } = writeLine(this.#digest, entry);
    await this.#checkAlone();
    try {
      await this.#handle.appendFile(line);
      await this.#handle.datasync();
    } catch (cause) {
      // A line that is only partly there would damage the next one. If this fails too, `checkAlone` refuses from now on.
      await truncate(this.#path, this.#bytes).catch(() => undefined);
      const cure = isFull(cause) ? FREE_SPACE : `It fails with ${(cause as NodeJS.ErrnoException).code ?? "an unknown error"}.`;
      throw new Error(`The signer's journal ${this.#path} cannot be written. ${cure} Until then no payout is signed.`, { cause });
    }
    this.#bytes += Buffer.byteLength(line);
    this.#digest = digest;
    await this.#checkAlone(); // of two signers that write at once, both see it before a signature leaves
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  /** @throws Error when the file is not as this signer left it */
  async #checkAlone(): Promise<void> {
    const [now, own] = await Promise.all([stat(this.#path).catch(() => null), this.#handle.stat()]);
    if (now?.ino !== own.ino) {
      throw new Error(`The signer's journal ${this.#path} was moved or replaced. Put it back, and start the signer again.`);
    }
    if (own.size === this.#bytes) return;
    throw new Error(
      `The signer's journal ${this.#path} has ${own.size} bytes instead of ${this.#bytes}: another signer writes into it, or its disk was full. ` +
        "Run one signer with this SIGNER_STATE_DIR, and start it again.",
    );
  }
}
