// anvil, the sandbox's EVM node, as a child process: no account of its own has money, and only this machine reaches it.

import { createRequire } from "node:module";
import { type ChildEnd, startChild } from "../child-process";

export interface AnvilOptions {
  chainId: number;
  /** 0 takes a free one. */
  port: number;
  /** Read at its start, written at its end. */
  statePath: string;
  /** Where it may keep what it needs only while it runs; it leaves some behind. */
  cachePath: string;
}

export interface Anvil {
  url: string;
  port: number;
  /** Of the process to be watched; the node itself is its child. */
  pid: number;
  /** Resolves when it has ended, wanted or not. */
  ended: Promise<ChildEnd>;
  stop(): Promise<ChildEnd>;
}

/** A block is safe when this many have followed it, and final after as many again. */
export const BLOCKS_TO_SAFE = 3;
/** Until it is killed, it writes its state. */
const STOP_TIMEOUT_MS = 10_000;

/** @throws Error when it cannot start: the port is taken, the state is unreadable, its package is missing */
export async function startAnvil({ chainId, port, statePath, cachePath }: AnvilOptions): Promise<Anvil> {
  const child = await startChild({
    name: "EVM chain",
    command: findProgram(),
    args: [
      ...["--host", "127.0.0.1", "--port", `${port}`, "--no-cors"],
      // A later fork keeps more for each block, and slows down with their number.
      ...["--chain-id", `${chainId}`, "--hardfork", "cancun", "--slots-in-an-epoch", `${BLOCKS_TO_SAFE}`],
      // Its own accounts have keys that the whole world knows.
      ...["--accounts", "0"],
      ...["--state", statePath],
      // By default it writes the state of every older block to the user's home, gigabytes of them: the last 500, in memory, do.
      ...["--max-persisted-states", "0", "--cache-path", cachePath],
    ],
    endsWithStdin: false,
    readReady: (line) => /^Listening on 127\.0\.0\.1:(\d+)$/.exec(line.trim())?.[1],
    readyTimeoutMs: 30_000,
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
  const given = Number(child.ready);
  return { url: `http://127.0.0.1:${given}`, port: given, pid: child.pid, ended: child.ended, stop: child.stop };
}

/** The binary itself: the package's own command is a script that would stand between us and its signals. */
function findProgram(): string {
  const program = `@foundry-rs/anvil-${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}/bin/anvil`;
  try {
    return createRequire(import.meta.resolve("@foundry-rs/anvil/package.json")).resolve(program);
  } catch (cause) {
    throw new Error("The sandbox's EVM chain needs anvil, which is not installed for this system: run npm install.", { cause });
  }
}
