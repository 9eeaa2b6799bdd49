// A signer in a process of its own, for tests that kill it and bring it back.

import { type ChildProcess, spawn } from "node:child_process";
import { once as nextEvent } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleProgram } from "@/lib/db/testing/programs";
import type { SignerOrder } from "./signer-child";

export interface SignerProcess {
  socket: string;
  stateDir: string;
  /** Starts it, again after it was killed, with a clock that is off by `clockMs`; resolves once it answers. */
  start: (clockMs?: number) => Promise<void>;
  /** Kills it with SIGKILL. */
  kill: () => Promise<void>;
  /** Stops and continues it: it is there and does not answer. */
  freeze: (isFrozen: boolean) => void;
  remove: () => Promise<void>;
}

type Place = Pick<SignerOrder, "socket" | "stateDir">;

/** @param seed `place`: another signer's, to stand in for it */
export function createSignerProcess({ place, ...seed }: Omit<SignerOrder, keyof Place> & { place?: Place }): SignerProcess {
  const folder = mkdtempSync(join(tmpdir(), "signer-"));
  const order: SignerOrder = { ...seed, ...(place ?? { socket: join(folder, "s.sock"), stateDir: join(folder, "state") }) };
  const program = bundleProgram("lib/wallets/custody/testing/signer-child.ts");
  let child: ChildProcess | null = null;
  const kill = async () => {
    if (!child) return;
    const ended = nextEvent(child, "close");
    child.kill("SIGKILL");
    await ended;
    child = null;
  };
  return {
    socket: order.socket,
    stateDir: order.stateDir,
    start: async (clockMs = 0) => {
      const env = { ...process.env, LOG_LEVEL: "silent", MODE: "sandbox" };
      const started = spawn(process.execPath, [program, JSON.stringify({ ...order, clockMs })], {
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      child = started;
      const ended = nextEvent(started, "close").then(() => {
        throw new Error("the signer's process ended before it was ready");
      });
      ended.catch(() => undefined);
      await Promise.race([nextEvent(started.stdout, "data"), ended]);
      started.stdout.resume();
    },
    kill,
    freeze: (isFrozen) => void child?.kill(isFrozen ? "SIGSTOP" : "SIGCONT"),
    remove: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Writes raw bytes to a signer; resolves with what comes back, once `answers` lines did or it ended the connection. */
export async function sendRaw(path: string, bytes: string | Buffer, answers = 1): Promise<string[]> {
  const socket = connect(path);
  socket.on("error", () => undefined);
  let received = "";
  socket.setEncoding("utf8").on("data", (part: string) => {
    received += part;
    if (received.split("\n").length > answers) socket.end();
  });
  socket.write(bytes);
  await new Promise((resolve) => socket.on("close", resolve));
  return received.split("\n").filter(Boolean);
}
