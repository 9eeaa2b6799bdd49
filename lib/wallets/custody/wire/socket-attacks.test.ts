// What comes in at the signer's socket besides orders: nothing of it stops the signer, or keeps it from answering the service.

import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWords } from "../mnemonic";
import { createSignerProcess, type SignerProcess, sendRaw } from "../testing/signer-process";
import { connectSigner } from "./connect";

let signer: SignerProcess;
beforeAll(async () => {
  const nowhere = { evmUrl: "http://127.0.0.1:9", solanaUrl: "http://127.0.0.1:9", genesisHash: "none" };
  signer = createSignerProcess({ words: createWords(), ...nowhere });
  await signer.start();
});
afterAll(() => signer?.remove());

const send = (bytes: string | Buffer, answers?: number) => sendRaw(signer.socket, bytes, answers);

async function isAnswering(): Promise<boolean> {
  const link = await connectSigner(signer.socket, async () => null);
  try {
    return (await link.signer.deriveAddresses(1)).index === 1;
  } finally {
    link.stop();
  }
}

test("frames that are no orders stop nothing", async () => {
  const frames = [
    "{}",
    "null",
    "[]",
    "7",
    '"identify"',
    "{",
    "\u0000\u0001\u0002",
    "\ufffd\ud800",
    `${"[".repeat(100_000)}`,
    `{"a":`.repeat(20_000),
    '{"id":0,"operation":"identify","order":{}}',
    '{"id":1e400,"operation":"identify","order":{}}',
    '{"id":1,"operation":"identify","order":{"x":1}}',
    '{"id":1,"operation":"identify"}',
    '{"id":1,"operation":"identify","order":{},"__proto__":{"a":1}}',
    '{"id":1,"operation":"signPayoutOnBase","order":{"amount":"1e9"}}',
    `{"id":1,"operation":"signForRelayer","order":{"gas":"${"9".repeat(1_000)}"}}`,
  ];
  for (const frame of frames) expect(await send(`${frame}\n`), frame.slice(0, 40)).toEqual([expect.stringContaining('"problem"')]);
  expect(await send(frames.map((frame) => `${frame}\n`).join(""), frames.length)).toHaveLength(frames.length);
  expect(await isAnswering()).toBe(true);
});

test("a frame without an end is cut off, and takes no memory", async () => {
  const endless = Buffer.alloc(4_000_000, "x");
  expect(await send(endless)).toEqual([]);
  expect(await send(Buffer.concat([endless, Buffer.from("\n")]))).toEqual([]);
  expect(await isAnswering()).toBe(true);
});

test("neither many connections nor a peer that reads no answers keeps the service from being served", async () => {
  const idle: Socket[] = [];
  const hold = () => {
    const socket = connect(signer.socket);
    socket.on("error", () => undefined);
    idle.push(socket);
    return socket;
  };
  for (let count = 0; count < 200; count++) hold().write('{"id":1,');
  const deaf = hold();
  deaf.pause();
  deaf.write('{"id":1,"operation":"identify","order":{}}\n'.repeat(20_000));
  expect(await isAnswering()).toBe(true);
  for (const socket of idle) socket.destroy();
  expect(await isAnswering()).toBe(true);
});

test("half a frame is not an order, and its peer is not waited for", async () => {
  const socket = connect(signer.socket);
  const received = text(socket);
  socket.write('{"id":1,"operation":"identify","order":{}}');
  expect(await isAnswering()).toBe(true);
  socket.end();
  expect(await received).toBe("");
});
