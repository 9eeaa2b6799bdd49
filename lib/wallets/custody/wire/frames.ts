// Frames on a socket: one line of JSON each. A frame that is longer than any order, or that does not arrive whole in time, ends its
// connection.

import type { Socket } from "node:net";

/** The longest order is a settlement with a contract wallet's signature. */
const MAX_FRAME_BYTES = 262_144;
/** From a frame's first byte to its last. */
const MAX_FRAME_MS = 10_000;
/** Unread answers, after which a connection is given up. */
const MAX_UNREAD_BYTES = 4 * MAX_FRAME_BYTES;

const NEWLINE = 0x0a;

/** Calls `onFrame` with each whole frame. Destroys the socket when its peer breaks the rules. */
export function readFrames(socket: Socket, onFrame: (frame: string) => void, maxMs = MAX_FRAME_MS): void {
  let parts: Buffer[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const add = (part: Buffer) => {
    parts.push(part);
    bytes += part.length;
  };
  const take = (): string => {
    const frame = Buffer.concat(parts, bytes).toString("utf8");
    parts = [];
    bytes = 0;
    clearTimeout(timer);
    timer = undefined;
    return frame;
  };
  socket.on("data", (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, end));
      from = end + 1;
      if (bytes > MAX_FRAME_BYTES) return void socket.destroy();
      onFrame(take());
      if (socket.destroyed) return;
    }
    if (from < chunk.length) add(chunk.subarray(from));
    if (bytes > MAX_FRAME_BYTES) return void socket.destroy();
    if (bytes > 0) timer ??= setTimeout(() => socket.destroy(), maxMs).unref();
  });
  socket.on("close", () => clearTimeout(timer));
}

/** Writes a frame, which holds no newline; gives up a peer that reads none of them. */
export function writeFrame(socket: Socket, frame: string): void {
  if (socket.destroyed) return;
  socket.write(`${frame}\n`);
  if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy();
}

/** Undefined for anything but JSON, which no form accepts. */
export function parseFrame(frame: string): unknown {
  try {
    return JSON.parse(frame);
  } catch {
    return undefined;
  }
}
