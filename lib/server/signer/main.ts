// `npm run signer`: the process that holds the seed. It answers typed orders at a Unix socket, and has neither a database nor the web: it
// loads no package for either.

import { join } from "node:path";
import { type Config, config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { openJournal } from "@/lib/wallets/custody/limits/journal";
import { openPayingKeys } from "@/lib/wallets/custody/open-seed";
import { refuseUnpinned } from "@/lib/wallets/custody/pins";
import type { Signer } from "@/lib/wallets/custody/signer";
import { serveSigner } from "@/lib/wallets/custody/wire/serve";

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs until a signal ends it. Exit code 1 when it could not start, and the message says what to do. */
export async function main(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined); // the reader has closed the pipe
  process.env.ROLES = "signer"; // a shared .env names the roles of the others
  try {
    await run(config());
  } catch (error) {
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n\n`);
    process.exitCode = 1;
  }
}

async function run(settings: Config): Promise<void> {
  const { SIGNER_SOCKET: socket } = settings;
  if (!socket) throw new Error("SIGNER_SOCKET is not set. Write the path of the socket at which the signer answers; see .env.example.");
  const served = await serveSigner(socket, () => openKeysOf(settings));
  const chains = settings.MODE === "sandbox" ? await followSandboxChains(settings) : null;
  for (const signal of stopSignals) {
    process.on(signal, () => void Promise.all([served.stop(), chains?.stop()]).finally(() => log().flush(() => process.exit(0))));
  }
  process.stdout.write(`The signer is ready: seed ${served.keys.fingerprint}, at ${socket}\n`);
}

async function openKeysOf(settings: Config): Promise<Signer> {
  if (settings.MODE === "live") {
    const keys = await openPayingKeys(settings);
    refuseUnpinned(keys);
    return keys;
  }
  const { DATA_DIR, SIGNER_STATE_DIR = join(DATA_DIR, "signer") } = settings;
  const { openSandboxKeys } = await import("@/lib/sandbox/seed");
  return openSandboxKeys(DATA_DIR, { journal: await openJournal(SIGNER_STATE_DIR) });
}

/** The nodes of a sandbox are its own chains, which another process runs. */
async function followSandboxChains({ DATA_DIR }: Config): Promise<{ stop: () => Promise<void> }> {
  const { followChains } = await import("@/lib/sandbox/follow-chains");
  return followChains({ dataDir: DATA_DIR, isOwner: () => false });
}
