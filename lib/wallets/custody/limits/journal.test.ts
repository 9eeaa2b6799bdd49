// The signer's journal: what is on the disk before a signature leaves, is known to the next start, whatever ended this one.

import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { nowMs, setClock } from "@/lib/base/clock";
import { randomBase62 } from "@/lib/base/ids";
import { bundleProgram } from "@/lib/db/testing/programs";
import { correctClock, type Journal, type JournalEntry, openJournal as openFile } from "./journal";

let restoreClock = () => {};
afterEach(() => {
  restoreClock();
  restoreClock = () => {};
});

const opened: Journal[] = [];
afterEach(async () => {
  for (const journal of opened.splice(0)) await journal.close();
});

async function openJournal(...given: Parameters<typeof openFile>): Promise<Journal> {
  const journal = await openFile(...given);
  opened.push(journal);
  return journal;
}

function newDirectory(): { directory: string; path: string } {
  const directory = mkdtempSync(join(tmpdir(), "journal-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return { directory: join(directory, "state"), path: join(directory, "state", "payouts.journal") };
}

const admitted = (): JournalEntry => ({ kind: "admitted", atMs: nowMs(), nonce: randomBase62(22), text: "ab".repeat(32), amount: 5n });
const signed = (): JournalEntry => ({
  kind: "signed",
  atMs: nowMs(),
  nonce: randomBase62(22),
  signature: "1".repeat(88),
  lastValidBlockHeight: 7,
  slot: 3,
});

async function write(directory: string, ...entries: JournalEntry[]): Promise<void> {
  const journal = await openJournal(directory);
  for (const entry of entries) await journal.append(entry);
}

test("what was written is there after a restart, and only its owner may read it", async () => {
  const { directory, path } = newDirectory();
  const entries = [admitted(), signed(), admitted()];
  await write(directory, ...entries.slice(0, 2));
  await write(directory, ...entries.slice(2));
  expect((await openJournal(directory)).entries).toEqual(entries);
  expect([statSync(directory).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600]);
});

test("a last line that was cut off while it was written is dropped, wherever it was cut, and the next one is whole", async () => {
  const { directory, path } = newDirectory();
  const [first, torn, next] = [admitted(), signed(), admitted()];
  await write(directory, first);
  const whole = statSync(path).size;
  await write(directory, torn);
  const full = readFileSync(path);
  for (const bytes of [1, 20, full.length - whole - 1]) {
    writeFileSync(path, full.subarray(0, whole + bytes));
    expect((await openJournal(directory)).entries).toEqual([first]);
    expect(statSync(path).size).toBe(whole);
  }
  await write(directory, next);
  expect((await openJournal(directory)).entries).toEqual([first, next]);
});

test("a damaged earlier line, one that is missing, and one that was moved refuse the start, and say what to do", async () => {
  const { directory, path } = newDirectory();
  await write(directory, admitted(), admitted(), admitted());
  const text = readFileSync(path, "utf8");
  const lines = text.split("\n");
  const damages = [
    text.replace(/"amount":"5"/, '"amount":"4"'),
    lines.slice(1).join("\n"),
    [lines[0], ...lines.slice(2)].join("\n"),
    [lines[1], lines[0], ...lines.slice(2)].join("\n"),
    `${"0".repeat(32)} {}\n${text}`,
    `${text}${"0".repeat(32)} {"kind":"admitted"}\n`,
  ];
  for (const damaged of damages) {
    writeFileSync(path, damaged);
    await expect(openJournal(directory)).rejects.toThrow(/Line \d of .*payouts\.journal is damaged.*Restore the file from a backup/);
    expect(readFileSync(path, "utf8")).toBe(damaged);
  }
});

test("two signers cannot write the same journal: the second one is refused, and then the first", async () => {
  const { directory, path } = newDirectory();
  const [one, other] = [await openJournal(directory), await openJournal(directory)];
  await one.append(admitted());
  await expect(other.append(admitted())).rejects.toThrow(/another signer writes into it/);
  await one.append(admitted());
  appendFileSync(path, "x");
  await expect(one.append(admitted())).rejects.toThrow(/another signer writes into it/);
});

test("a journal that was moved, replaced or cut is not written any more", async () => {
  const { directory, path } = newDirectory();
  const journal = await openJournal(directory);
  await journal.append(admitted());
  renameSync(path, `${path}.away`);
  await expect(journal.append(admitted())).rejects.toThrow(/was moved or replaced\. Put it back/);
  writeFileSync(path, readFileSync(`${path}.away`));
  await expect(journal.append(admitted())).rejects.toThrow(/was moved or replaced/);
  renameSync(`${path}.away`, path);
  await journal.append(admitted());
  truncateSync(path, 10);
  await expect(journal.append(admitted())).rejects.toThrow(/has 10 bytes instead of/);
});

/** Runs a process that writes the journal until it cannot: what it prints. */
function fillDisk(directory: string, maxOldLines: number): string {
  const program = bundleProgram("lib/wallets/custody/testing/journal-child.ts");
  // A limit of the file's size in place of the disk's: the kernel writes a part of the line and then none, as on a full disk.
  const shell = `trap '' XFSZ; ulimit -f 8; exec "${process.execPath}" "${program}" "${directory}" ${maxOldLines}`;
  return execFileSync("bash", ["-c", shell], { encoding: "utf8", stdio: "pipe", env: { ...process.env, LOG_LEVEL: "silent" } });
}

test("a full disk refuses the entry, says so, and damages nothing", async () => {
  const { directory } = newDirectory();
  const output = fillDisk(directory, 10_000);
  const { written, refused } = JSON.parse(output) as { written: number; refused: string[] };
  expect(written).toBeGreaterThan(10);
  expect(refused).toHaveLength(2);
  for (const message of refused) expect(message).toMatch(/cannot be written.*Until then no payout is signed/);
  expect((await openJournal(directory)).entries).toHaveLength(written);
});

test("a journal that cannot be opened names the setting", async () => {
  const { directory } = newDirectory();
  await write(directory, admitted());
  await expect(openJournal(join(directory, "payouts.journal"))).rejects.toThrow(/SIGNER_STATE_DIR/);
});

test("what was written by a clock that was ahead counts from its correction on, also when that is long ago", async () => {
  const { directory, path } = newDirectory();
  const start = nowMs();
  const setDay = (day: number) => {
    restoreClock();
    restoreClock = setClock(() => start + Math.round(day * 24 * 3_600_000));
  };
  const right = admitted();
  await write(directory, right);
  setDay(30);
  const ahead = [admitted(), signed()];
  await write(directory, ...ahead);
  setDay(1);
  expect(await correctClock(directory)).toEqual(new Date(ahead[0]?.atMs ?? 0));
  const corrected = ahead.map((entry) => ({ ...entry, atMs: nowMs() }));
  expect((await openJournal(directory)).entries).toEqual([right, ...corrected]);
  const text = readFileSync(path, "utf8");
  expect(await correctClock(directory)).toBeNull();
  expect(readFileSync(path, "utf8")).toBe(text);
  setDay(8.5);
  const later = admitted();
  await write(directory, later);
  const rewritten = await openJournal(directory, { maxOldLines: 0 });
  expect(rewritten.entries).toEqual([...corrected, later]);
  expect((await openJournal(directory)).entries).toEqual(rewritten.entries);
  setDay(10);
  const last = admitted();
  await write(directory, last);
  expect((await openJournal(directory)).entries).toEqual([later, last]);
});

test("a start with a clock that is far ahead reads everything, and takes nothing off the disk", async () => {
  const { directory, path } = newDirectory();
  const entries = [admitted(), signed()];
  await write(directory, ...entries);
  const [start, text] = [nowMs(), readFileSync(path, "utf8")];
  restoreClock = setClock(() => start + 30 * 24 * 3_600_000);
  expect((await openJournal(directory, { maxOldLines: 0 })).entries).toEqual(entries);
  expect(readFileSync(path, "utf8")).toBe(text);
});

test("what is older than any order is left out, and many old lines are written off the disk", async () => {
  const { directory, path } = newDirectory();
  const [old, start] = [admitted(), nowMs()];
  await write(directory, old);
  restoreClock = setClock(() => start + 9 * 24 * 3_600_000);
  const recent = admitted();
  await write(directory, recent);
  expect((await openJournal(directory)).entries).toEqual([recent]);
  expect(readFileSync(path, "utf8").split("\n")).toHaveLength(3);
  const journal = await openJournal(directory, { maxOldLines: 0 });
  const more = admitted();
  await journal.append(more);
  expect(readFileSync(path, "utf8").split("\n")).toHaveLength(3);
  expect((await openJournal(directory)).entries).toEqual([recent, more]);
});

test("a full disk at the start, where old lines are written off it, says so and leaves the journal as it was", async () => {
  const { directory, path } = newDirectory();
  const start = nowMs();
  restoreClock = setClock(() => start - 9 * 24 * 3_600_000);
  await write(directory, admitted());
  restoreClock();
  await write(directory, ...Array.from({ length: 60 }, admitted));
  const text = readFileSync(path, "utf8");
  expect(() => fillDisk(directory, 0)).toThrow(/SIGNER_STATE_DIR: the journal .* cannot be read or written \(EFBIG\)/);
  expect([readFileSync(path, "utf8"), readdirSync(directory)]).toEqual([text, ["payouts.journal"]]);
});
