// `npm run signer`: the process that holds the seed. It answers typed orders at a Unix socket, and has neither a database nor the web: it
// loads no package for either. `npm run signer -- correct-clock` is for an operator whose clock was ahead.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { now } from "@/lib/base/clock";
import { type Config, config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { correctClock, journalPath, openJournal } from "@/lib/wallets/custody/limits/journal";
import { openPayingKeys } from "@/lib/wallets/custody/open-seed";
import { refuseUnpinned } from "@/lib/wallets/custody/pins";
import type { Signer } from "@/lib/wallets/custody/signer";
import { refuseAnswered, serveSigner } from "@/lib/wallets/custody/wire/serve";
import { confirm } from "../confirm";

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const usage = `npm run signer                             start the signer
npm run signer -- correct-clock [--yes]    count by this machine's clock again, after it was ahead and was put right
`;

/** Runs until a signal ends it. Exit code 1 when it could not start, and the message says what to do. */
export async function main(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined); // the reader has closed the pipe
  process.env.ROLES = "signer"; // a shared .env names the roles of the others
  const [command, ...flags] = process.argv.slice(2);
  const isConfirmed = flags.join() === "--yes";
  if (command !== undefined && !(command === "correct-clock" && (isConfirmed || flags.length === 0))) {
    process.stderr.write(usage);
    process.exitCode = 1;
    return;
  }
  try {
    await (command === undefined ? run(config()) : correctSignersClock(config(), isConfirmed));
  } catch (error) {
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n\n`);
    process.exitCode = 1;
  }
}

async function run(settings: Config): Promise<void> {
  const socket = givenSocket(settings);
  const served = await serveSigner(socket, () => openKeysOf(settings));
  const chains = settings.MODE === "sandbox" ? await followSandboxChains(settings) : null;
  for (const signal of stopSignals) {
    process.on(signal, () => void Promise.all([served.stop(), chains?.stop()]).finally(() => log().flush(() => process.exit(0))));
  }
  process.stdout.write(`The signer is ready: seed ${served.keys.fingerprint}, at ${socket}\n`);
}

/** After the clock was ahead, everything that was signed meanwhile lies in the future, and nothing more is signed until then. */
async function correctSignersClock(settings: Config, isConfirmed: boolean): Promise<void> {
  await refuseAnswered(givenSocket(settings));
  const path = journalPath(stateDirOf(settings));
  if (!existsSync(path)) throw new Error(`There is no journal at ${path}. Set SIGNER_STATE_DIR as the signer has it.`);
  process.stdout.write(`This machine's clock says ${now().toISOString()}. From then on the signer counts by it, in ${path}.\n`);
  await confirm("Is that the right time?", isConfirmed);
  const latest = await correctClock(stateDirOf(settings));
  if (latest === null) throw new Error("The journal has no payout after that time, so there was nothing to correct.");
  process.stdout.write(`Done. Payouts up to ${latest.toISOString()} count as made now, for 24 hours. Start the signer.\n`);
}

function givenSocket({ SIGNER_SOCKET: socket }: Pick<Config, "SIGNER_SOCKET">): string {
  if (socket) return socket;
  throw new Error("SIGNER_SOCKET is not set. Write the path of the socket at which the signer answers; see .env.example.");
}

/** Settings of live mode name it. */
const stateDirOf = ({ DATA_DIR, SIGNER_STATE_DIR = join(DATA_DIR, "signer") }: Pick<Config, "DATA_DIR" | "SIGNER_STATE_DIR">): string =>
  SIGNER_STATE_DIR;

async function openKeysOf(settings: Config): Promise<Signer> {
  if (settings.MODE === "live") {
    const keys = await openPayingKeys(settings);
    refuseUnpinned(keys);
    return keys;
  }
  const { openSandboxKeys } = await import("@/lib/sandbox/seed");
  return openSandboxKeys(settings.DATA_DIR, { journal: await openJournal(stateDirOf(settings)) });
}

/** The nodes of a sandbox are its own chains, which another process runs. */
async function followSandboxChains({ DATA_DIR }: Config): Promise<{ stop: () => Promise<void> }> {
  const { followChains } = await import("@/lib/sandbox/follow-chains");
  return followChains({ dataDir: DATA_DIR, isOwner: () => false });
}
