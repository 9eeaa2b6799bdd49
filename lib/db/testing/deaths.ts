// The deaths that a test puts its program through, one run after the other. With LONG=1 it dies at each of its statements; otherwise at
// the first or the last, at a sample of those beside a COMMIT, and at a sample of the others. Each run chooses another sample.

import { spawn } from "node:child_process";
import { once as nextEvent } from "node:events";
import { expect } from "vitest";
import { pool } from "../pool";
import type { Death, LastWords } from "./death";
import { isLong, sample } from "./sample";

/** Before a statement is sent, or once it is sent and before its answer is seen. */
export type Moment = "before" | "unseen";

/**
 * Runs the program of an order; resolves with its last words, or null when it was killed. By then the statements that a killed program had
 * sent to the test's database have ended too.
 */
export async function runProgram<Order extends Death>(program: string, order: Order): Promise<LastWords | null> {
  const before = await findBackends();
  const env = { ...process.env, LOG_LEVEL: "silent", MODE: "sandbox" };
  const child = spawn(process.execPath, [program, JSON.stringify(order)], { env, stdio: ["ignore", "pipe", "pipe"] });
  const [said, complaint] = [child.stdout, child.stderr].map((stream) => stream.setEncoding("utf8").toArray());
  const [, signal] = await nextEvent(child, "close");
  expect((await complaint)?.join("")).toBe("");
  if (signal !== "SIGKILL") return JSON.parse(((await said) ?? []).join("")) as LastWords;
  const findLeft = async () => (await findBackends()).filter((pid) => !before.includes(pid));
  await expect.poll(findLeft, { interval: 10 }).toEqual([]);
  return null;
}

/** The server's processes for the clients of the test's database, except the one that runs this query. */
async function findBackends(): Promise<number[]> {
  const { rows } = await pool().query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
  return rows.map(({ pid }) => pid);
}

interface Deaths {
  /** Together with the run's seed, it chooses the sample. */
  name: string;
  moments: readonly Moment[];
  /** The minimum number of statements of a complete run. */
  least: number;
  /** One run, including its preparation and the checks after it. */
  live: (death: Death) => Promise<LastWords | null>;
  /** How many deaths on either side of a COMMIT are tried. */
  besideCommits?: number;
  /** How many other deaths are tried. */
  others?: number;
}

/** The first run reaches its end and reports the statements to die at. Resolves with the number of runs. */
export async function dieAtEach({ name, moments, least, live, besideCommits = 1, others = 0 }: Deaths): Promise<number> {
  const whole = await live({ killAt: 0, sent: false });
  const statements = whole?.statements ?? [];
  expect(statements.length).toBeGreaterThanOrEqual(least);
  let lives = 1;
  for (const death of isLong ? everyDeath(moments) : chooseDeaths(statements, { name, moments, besideCommits, others })) {
    const words = await live(death).catch((error: Error) => {
      error.message += `\nIt was to die ${death.sent ? "after" : "before"} statement ${death.killAt} of ${statements.length}.`;
      throw error;
    });
    lives += 1;
    if (words === null) continue;
    // The number of statements varies a little between runs: a run that ended before its death is the last one.
    expect(death.killAt).toBeGreaterThan(Math.max(words.statements.length, least));
    break;
  }
  return lives;
}

/** All deaths, without an end: the caller stops once a run has no such statement any more. */
function* everyDeath(moments: readonly Moment[]): Generator<Death> {
  for (let killAt = 1; ; killAt++) for (const moment of moments) yield { killAt, sent: moment === "unseen" };
}

/** The chosen deaths, in the order of the statements. */
function chooseDeaths(
  statements: readonly string[],
  { name, moments, besideCommits, others }: Pick<Required<Deaths>, "name" | "moments" | "besideCommits" | "others">,
): Death[] {
  const isCommit = (at: number) => statements[at - 1] === "COMMIT";
  const all = statements.flatMap((_, index) => moments.map((moment) => ({ killAt: index + 1, sent: moment === "unseen" })));
  const [first, last] = [all[0], all.at(-1)];
  const isEnd = (death: Death) => death === first || death === last;
  const isBesideCommit = ({ killAt, sent }: Death) => isCommit(killAt) || isCommit(sent ? killAt + 1 : killAt - 1);
  const between = all.filter((death) => !isEnd(death));
  const chosen = new Set([
    ...sample(
      `${name}, ends`,
      all.filter((death) => isEnd(death)),
      1,
    ),
    ...sample(`${name}, beside commits`, between.filter(isBesideCommit), besideCommits),
    ...sample(
      name,
      between.filter((death) => !isBesideCommit(death)),
      others,
    ),
  ]);
  return all.filter((death) => chosen.has(death));
}
