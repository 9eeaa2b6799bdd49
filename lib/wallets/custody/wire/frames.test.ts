// Frames on a real socket: whole ones arrive in order however they are cut, and a peer that breaks the rules is given up.

import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readFrames } from "./frames";

async function open(maxMs?: number): Promise<{ socket: Socket; frames: string[]; closed: Promise<unknown> }> {
  const folder = mkdtempSync(join(tmpdir(), "frames-"));
  const frames: string[] = [];
  const server = createServer((peer) =>
    readFrames(
      peer.on("error", () => undefined),
      (frame) => frames.push(frame),
      maxMs,
    ),
  );
  await new Promise<void>((resolve) => server.listen(join(folder, "s.sock"), resolve));
  const socket = connect(join(folder, "s.sock"));
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.on("close", resolve));
  onTestFinished(async () => {
    socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    rmSync(folder, { recursive: true, force: true });
  });
  return { socket, frames, closed };
}

test("frames arrive whole and in order, wherever they are cut, also within a letter", async () => {
  const { socket, frames } = await open();
  const bytes = Buffer.from("one\nzwölf\n\nthree\n");
  for (const byte of bytes) {
    await new Promise((resolve) => socket.write(Buffer.of(byte), resolve));
  }
  await expect.poll(() => frames).toEqual(["one", "zwölf", "", "three"]);
});

test("a frame that does not end in time closes its connection, and one that ends does not", async () => {
  const slow = await open(50);
  slow.socket.write("half");
  await slow.closed;
  expect(slow.frames).toEqual([]);
  const quick = await open(60_000);
  quick.socket.write("whole\n");
  await expect.poll(() => quick.frames).toEqual(["whole"]);
  expect(quick.socket.destroyed).toBe(false);
});

test("a frame that is too long closes its connection, with and without an end", async () => {
  for (const end of ["", "\n"]) {
    const { socket, frames, closed } = await open();
    socket.write(`${"x".repeat(300_000)}${end}`);
    await closed;
    expect(frames).toEqual([]);
  }
});
