// The signer's socket: a Unix socket that its user and group may connect to. A client can have signed what `answerFrame` signs, and nothing
// else; nothing that a client sends stops the signer.

import { chmod, lstat, mkdir, unlink } from "node:fs/promises";
import { createServer, connect as openSocket, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import { log } from "@/lib/base/observe/log";
import type { Signer } from "../signer";
import { answerFrame } from "./answer";
import { readFrames, writeFrame } from "./frames";

/** More than a service has processes; beyond this, the oldest connection is closed. */
const MAX_CONNECTIONS = 32;
/** Orders of one connection that are carried out at once; further ones are read later. */
const MAX_AT_ONCE = 32;

export interface ServedSigner {
  keys: Signer;
  stop: () => Promise<void>;
}

/**
 * Answers orders at the socket `path`, mode 660.
 * @param open opens the keys and their journal, once the socket is this process's: of two signers, the second must not touch the journal
 * @throws Error that says what to do when something else is there; what `open` throws
 */
export async function serveSigner(path: string, open: () => Promise<Signer>): Promise<ServedSigner> {
  await mkdir(dirname(path), { recursive: true, mode: 0o750 });
  await removeStale(path);
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    const [oldest] = connections;
    if (connections.size >= MAX_CONNECTIONS && oldest) oldest.destroy();
    connections.add(socket);
    socket.on("close", () => connections.delete(socket));
    socket.on("error", () => undefined); // `close` follows
    keys.then(
      (opened) => answerOn(socket, opened),
      () => socket.destroy(),
    );
  });
  const keys = listenAt(server, path).then(open);
  const stop = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of connections) socket.destroy();
    await closed;
  };
  try {
    return { keys: await keys, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function answerOn(socket: Socket, keys: Signer): void {
  let running = 0;
  readFrames(socket, (frame) => {
    running += 1;
    if (running >= MAX_AT_ONCE) socket.pause();
    void answerFrame(keys, frame).then((answer) => {
      writeFrame(socket, answer);
      running -= 1;
      if (socket.isPaused()) socket.resume();
    });
  });
}

/** Removes the socket that a killed signer left. @throws Error when it is in use, or is no socket of this user */
async function removeStale(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (!found) return;
  if (!found.isSocket()) throw new Error(`SIGNER_SOCKET: ${path} is not a socket. Remove it, or write another path.`);
  if (found.uid !== process.getuid?.()) {
    throw new Error(
      `SIGNER_SOCKET: ${path} is another user's. Remove it, or write another path; only the signer's user makes this socket.`,
    );
  }
  await refuseAnswered(path);
  await unlink(path);
}

/** @throws Error when a signer answers at `path` */
export async function refuseAnswered(path: string): Promise<void> {
  if (!(await isAnswered(path))) return;
  throw new Error(`SIGNER_SOCKET: another signer answers at ${path}. Stop it first: only one may count the day's limit.`);
}

const isAnswered = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = openSocket(path);
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });

function listenAt(server: Server, path: string): Promise<void> {
  const mask = process.umask(0o177); // until its mode is set, only this user may connect
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new Error(
          `SIGNER_SOCKET: cannot listen at ${path} (${error.code ?? "unknown"}). Write a path of at most 100 characters in a directory of the signer's user.`,
          { cause: error },
        ),
      ),
    );
    server.listen(path, () => {
      server.on("error", (error) => log().error({ err: error }, "the signer's socket failed"));
      chmod(path, 0o660).then(resolve, reject);
    });
  }).finally(() => void process.umask(mask)) as Promise<void>;
}
