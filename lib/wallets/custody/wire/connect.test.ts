// The connection to a signer that answers late, or not at all.

import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openKeys } from "../seed-signer";
import { hardhatWords } from "../testing/seeds";
import { answerFrame } from "./answer";
import { connectSigner, type SignerConnection } from "./connect";
import { readFrames, writeFrame } from "./frames";

const WITHIN_MS = 20_000;

interface HeldSigner {
  link: SignerConnection;
  /** Answers an order that it has got, or waits for it. */
  answer: (order: number) => Promise<void>;
  /** From now on it answers nothing by itself. */
  fallSilent: () => void;
}

/** A signer that says at once who it is, and keeps its other answers back. The connection's time stands still. */
async function startHeldSigner(): Promise<HeldSigner> {
  const directory = mkdtempSync(join(tmpdir(), "held-"));
  const keys = await openKeys(hardhatWords, "sandbox");
  const held: { socket: Socket; frame: string }[] = [];
  let isSilent = false;
  const server = createServer((socket) => {
    readFrames(socket, async (frame) => {
      if (!frame.includes('"identify"')) held.push({ socket, frame });
      else if (!isSilent) writeFrame(socket, await answerFrame(keys, frame));
    });
  });
  const path = join(directory, "s.sock");
  await new Promise<void>((resolve) => server.listen(path, resolve));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const link = await connectSigner(path, async () => null, WITHIN_MS);
  onTestFinished(async () => {
    vi.useRealTimers();
    link.stop();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    rmSync(directory, { recursive: true, force: true });
  });
  const answer = async (order: number) => {
    while (held.length <= order) await new Promise((resolve) => setImmediate(resolve));
    const { socket, frame } = held[order] as (typeof held)[number];
    writeFrame(socket, await answerFrame(keys, frame));
  };
  return {
    link,
    answer,
    fallSilent: () => {
      isSilent = true;
    },
  };
}

test("an answer that is late fails its own order: others under way are answered, and the connection stays", async () => {
  const { link, answer } = await startHeldSigner();
  const late = link.signer.deriveAddresses(0);
  await vi.advanceTimersByTimeAsync(WITHIN_MS - 1_000);
  const other = link.signer.deriveAddresses(1);
  const failed = expect(late).rejects.toThrow("it did not answer within 20 seconds");
  await vi.advanceTimersByTimeAsync(2_000);
  await failed;
  await answer(1);
  expect((await other).index).toBe(1);
  // What comes after its time is nobody's answer.
  await answer(0);
  const next = link.signer.deriveAddresses(2);
  await answer(2);
  expect((await next).index).toBe(2);
  expect(link.isWell()).toBe(true);
});

test("a signer that answers nothing any more is not waited for: its connection is closed, and opened again", async () => {
  const { link, fallSilent } = await startHeldSigner();
  fallSilent();
  const lost = [link.signer.deriveAddresses(0), link.signer.deriveAddresses(1)].map((one) => expect(one).rejects.toThrow("did not answer"));
  await vi.advanceTimersByTimeAsync(WITHIN_MS + 5_000);
  await Promise.all(lost);
  vi.useRealTimers();
  await vi.waitFor(() => expect(link.isWell()).toBe(false), { timeout: 30_000 });
});
