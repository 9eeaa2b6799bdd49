// A receiver cannot make us wait, read or trust more than we want.

import { createServer } from "node:net";
import { afterAll, afterEach, expect, test } from "vitest";
import { createCertificate } from "../testing/certificates";
import { openReceiver, type Receiver } from "../testing/receiver";
import { openOutsideClient, setTrustedCertificates } from "./client";

const receivers: Receiver[] = [];
const open = async (tls?: { key: string; cert: string }) => {
  const receiver = await openReceiver(tls);
  receivers.push(receiver);
  return receiver;
};
afterEach(() => setTrustedCertificates(undefined));
afterAll(() => Promise.all(receivers.map((receiver) => receiver.close())));

async function post(url: string, { stopping = new AbortController().signal, withinMs = 15_000 } = {}) {
  const client = openOutsideClient(stopping, withinMs);
  try {
    return await client.post({ url, headers: { "content-type": "application/json" }, body: '{"a":1}' });
  } finally {
    await client.close();
  }
}

test("an answer is its status, its size and its Retry-After", async () => {
  const receiver = await open();
  receiver.answer((response) => void response.writeHead(503, { "retry-after": "120" }).end("busy"));
  expect(await post(receiver.url)).toEqual({ status: 503, bytes: 4, retryAfter: "120" });
  expect(receiver.received[0]).toMatchObject({ body: '{"a":1}', headers: { "content-type": "application/json" } });
});

test("a good certificate is trusted; one that expired, one for another name and one of nobody are refused, and nothing is sent", async () => {
  const soon = new Date(Date.now() + 30 * 86_400_000);
  const certificates = [
    createCertificate("localhost", soon),
    createCertificate("other.example.com", soon),
    createCertificate("localhost", new Date(Date.now() - 86_400_000)),
  ];
  const servers = await Promise.all(certificates.map(open));
  const [good, other, expired] = servers.map(({ url }) => url);
  expect(await post(good ?? "")).toEqual({ error: "The certificate is self-signed." });
  setTrustedCertificates(certificates.map(({ cert }) => cert).join(""));
  expect(await post(good ?? "")).toMatchObject({ status: 200 });
  expect(await post(other ?? "")).toEqual({ error: "The certificate is for another name." });
  expect(await post(expired ?? "")).toEqual({ error: "The certificate has expired." });
  expect(servers.map(({ received }) => received.length)).toEqual([1, 0, 0]);
});

test("an answer of a gigabyte is cut after 64 kB", async () => {
  const receiver = await open();
  let sent = 0;
  receiver.answer((response) => {
    response.writeHead(200, { "content-length": `${2 ** 30}` });
    const chunk = Buffer.alloc(16_384);
    const fill = () => {
      while (!response.destroyed && sent < 2 ** 30) {
        sent += chunk.length;
        if (!response.write(chunk)) return;
      }
    };
    response.on("drain", fill);
    fill();
  });
  expect(await post(receiver.url)).toEqual({ status: 200, bytes: 65_536, error: "The answer was cut after 64 kB." });
  expect(sent).toBeLessThan(2 ** 26);
});

test("an answer of a byte at a time is cut once its status is known", async () => {
  const receiver = await open();
  receiver.answer((response) => {
    response.writeHead(200).write("a");
    const timer = setInterval(() => (response.destroyed ? clearInterval(timer) : response.write("a")), 100);
  });
  expect(await post(receiver.url)).toMatchObject({ status: 200, error: "The answer did not end in time and was cut." });
});

test("a receiver that never answers is left after the limit; stopping ends the wait", async () => {
  const receiver = await open();
  receiver.answer(() => undefined);
  expect(await post(receiver.url, { withinMs: 1_000 })).toEqual({ error: "No answer within 1 seconds." });
  const stopping = new AbortController();
  const waiting = post(receiver.url, { stopping: stopping.signal });
  stopping.abort();
  await expect(waiting).rejects.toThrow();
});

test("a receiver that sends its headers a byte at a time is left after the limit", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    const text = "HTTP/1.1 200 OK\r\nx-slow: ";
    let index = 0;
    const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(text[index++] ?? "a")), 50);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as { port: number };
  expect(await post(`http://127.0.0.1:${port}/`, { withinMs: 1_500 })).toEqual({ error: "No answer within 1.5 seconds." });
  await new Promise((closed) => server.close(closed));
});

test("a refused connection, a closed one and an answer that is not HTTP have their words, and tell nothing of our network", async () => {
  const [closes, mumbles] = [createServer((socket) => socket.destroy()), createServer((socket) => socket.resume().end("hello\r\n\r\n"))];
  for (const server of [closes, mumbles]) await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const [closing, mumbling] = [closes, mumbles].map((server) => `http://127.0.0.1:${(server.address() as { port: number }).port}/`);
  expect(await post(closing ?? "")).toEqual({ error: "The connection was closed before an answer." });
  expect(await post(mumbling ?? "")).toEqual({ error: "The answer is not HTTP." });
  for (const server of [closes, mumbles]) await new Promise((closed) => server.close(closed));
  expect(await post(closing ?? "")).toEqual({ error: "The connection was refused." });
});
