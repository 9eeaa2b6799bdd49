// anvil, the sandbox's EVM node, as a child process: without funded default accounts, reachable from this machine only.

import { createRequire } from "node:module";
import { type Child, startChild } from "../child-process";

export interface AnvilOptions {
  chainId: number;
  /** 0 picks a free one. */
  port: number;
  /** Read at start, written at the end. */
  statePath: string;
  /** For its temporary files, some of which it leaves behind. */
  cachePath: string;
}

/** `pid` is the watcher's; the node itself is its child. */
export interface Anvil extends Omit<Child<unknown>, "ready"> {
  url: string;
}

/** A block is safe after this many more blocks, and final after twice as many. */
export const BLOCKS_TO_SAFE = 3;
/** Time to write its state before it is killed. */
const STOP_TIMEOUT_MS = 10_000;

/** @throws Error when it cannot start: the port is taken, the state is unreadable, or its package is missing */
export async function startAnvil({ chainId, port, statePath, cachePath }: AnvilOptions): Promise<Anvil> {
  const { ready, ...child } = await startChild({
    name: "EVM chain",
    command: findProgram(),
    args: [
      ...["--host", "127.0.0.1", "--port", `${port}`, "--no-cors"],
      // A later fork stores more per block, and slows down with their number.
      ...["--chain-id", `${chainId}`, "--hardfork", "cancun", "--slots-in-an-epoch", `${BLOCKS_TO_SAFE}`],
      // The keys of its default accounts are public.
      ...["--accounts", "0"],
      ...["--state", statePath],
      // By default it writes the state of every older block to the user's home, gigabytes in all; the last 500, in memory, suffice.
      ...["--max-persisted-states", "0", "--cache-path", cachePath],
    ],
    endsWithStdin: false,
    readReady: (line) => /^Listening on 127\.0\.0\.1:(\d+)$/.exec(line.trim())?.[1],
    readyTimeoutMs: 30_000,
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
  return { url: `http://127.0.0.1:${ready}`, ...child };
}

/** The binary itself: the package's command is a wrapper script, which would intercept our signals. */
function findProgram(): string {
  const program = `@foundry-rs/anvil-${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}/bin/anvil`;
  try {
    return createRequire(import.meta.resolve("@foundry-rs/anvil/package.json")).resolve(program);
  } catch (cause) {
    throw new Error("The sandbox's EVM chain needs anvil, which is not installed for this system: run npm install.", { cause });
  }
}
