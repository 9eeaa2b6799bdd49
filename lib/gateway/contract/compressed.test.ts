// Compressed bodies at the wire: each coding that clients send, bounded by the size that it unpacks to, and charged as the plain body would be.

import { connect } from "node:net";
import * as zlib from "node:zlib";
import { describe, expect, test } from "vitest";
import { openAccount } from "./testing/accounts";
import { chargesOf, expectPaid, expectUncharged, inFlight, until } from "./testing/books";
import { type Answer, ask, promptOf, readError, readRaw, sendRaw } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } = zlib;
/** Of Node 22.15 and later, which alone can read it. Codex sends its bodies so with enable_request_compression. */
const { zstdCompressSync } = zlib as typeof zlib & { zstdCompressSync?: (bytes: Buffer) => Buffer };

const service = await openService({ requestTimeoutMs: 8_000 });
const MIB = 1_048_576;

type Packing = [name: string, header: string, pack: (bytes: Buffer) => Buffer];

const codings: readonly Packing[] = [
  ["gzip", "gzip", gzipSync],
  ["gzip under its old name", "X-GZip", gzipSync],
  ["gzip in two members", "gzip", (bytes) => Buffer.concat([gzipSync(bytes.subarray(0, 9)), gzipSync(bytes.subarray(9))])],
  ["deflate", "deflate", deflateSync],
  ["deflate without its zlib format", "deflate", deflateRawSync],
  ["Brotli", "identity, br", brotliCompressSync],
  ["nothing", "identity", (bytes) => bytes],
  ...(zstdCompressSync ? [["Zstandard", "zstd", zstdCompressSync] satisfies Packing] : []),
];

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);

  const send = (key: string, coding: string, bytes: Buffer, path = "/api/v1/prompt"): Promise<Answer> =>
    ask({ url, key, path, headers: { "content-encoding": coding, "content-type": "application/json" }, body: new Uint8Array(bytes) });

  const reasonOf = (answer: Answer): unknown => readError(answer, "INVALID_REQUEST").details.reason;

  test.each(codings)("%s is unpacked, and its idempotency key is the plain body's", async (_name, header, pack) => {
    const account = await openAccount();
    const text = JSON.stringify(promptOf({ maxTokens: 5 }));
    const headers = { "idempotency-key": "one", "content-type": "application/json" };
    const packed = new Uint8Array(pack(Buffer.from(text)));
    const first = await ask({ url, key: account.key, headers: { ...headers, "content-encoding": header }, body: packed });
    expect(first.status).toBe(200);
    const plain = await ask({ url, key: account.key, headers, body: text });
    expect([plain.headers.get("idempotent-replayed"), plain.text]).toEqual(["true", first.text]);
    expect(await chargesOf(account.accountId)).toHaveLength(1);
    await expectPaid(account);
  });

  test("a body in small chunks, one of several MiB, and the next request on its connection", async () => {
    const account = await openAccount();
    const large = {
      model: "gpt-4o-mini",
      max_tokens: 5,
      messages: [{ role: "user", content: "Why?" }],
      metadata: { note: "x".repeat(3 * MIB) },
    };
    const answer = await send(account.key, "gzip", gzipSync(JSON.stringify(large)), "/api/v1/chat/completions");
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
    const packed = gzipSync(JSON.stringify(promptOf({ maxTokens: 5 })));
    const head = (more: string) =>
      `POST /api/v1/prompt HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${account.key}\r\ncontent-encoding: gzip\r\n${more}\r\n\r\n`;
    const chunks = [...packed].flatMap((byte) => [Buffer.from("1\r\n"), Buffer.from([byte]), Buffer.from("\r\n")]);
    const raw = await sendRaw(url, [
      head("transfer-encoding: chunked"),
      ...chunks,
      "0\r\n\r\n",
      head(`connection: close\r\ncontent-length: ${packed.length}`),
      packed,
    ]);
    expect(raw.split(/(?=HTTP\/1\.1 \d)/).map((part) => readRaw(part).status)).toEqual([200, 200]);
    await expectPaid(account);
  });

  test.each([
    ["gzip", gzipSync],
    ["br", (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ["zstd", zstdCompressSync],
  ])("a %s body that unpacks to more than the maximum is refused, without its being held", async (coding, pack) => {
    if (!pack) return;
    const account = await openAccount();
    // Packed a thousandth or less.
    const bomb = pack(Buffer.alloc(256 * MIB, " "));
    const before = process.memoryUsage.rss();
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss() - before);
    }, 5);
    expect(reasonOf(await send(account.key, coding, bomb))).toBe("too_large");
    const large = await send(account.key, coding, bomb, "/api/v1/chat/completions");
    clearInterval(watch);
    expect({ status: large.status, text: large.text }).toMatchObject({ status: 400, text: expect.stringContaining('"too_large"') });
    expect(most).toBeLessThan(160 * MIB);
    await expectUncharged(account);
  });

  test("a body that is not what it says, is cut off, or goes on after its end", async () => {
    const account = await openAccount();
    const text = Buffer.from(JSON.stringify(promptOf({ maxTokens: 5 })));
    const packed = gzipSync(text);
    for (const [coding, bytes] of [
      ["gzip", text],
      ["gzip", packed.subarray(0, packed.length - 9)],
      ["br", packed],
      ["deflate", packed],
    ] as const)
      expect(reasonOf(await send(account.key, coding, bytes)), coding).toBe("content_encoding");
    expect(readError(await send(account.key, "gzip", Buffer.alloc(0)), "INVALID_REQUEST").error).toMatch(/is empty/);
    await expectUncharged(account);
    expect((await send(account.key, "gzip", Buffer.concat([packed, Buffer.alloc(200_000)]))).status).toBe(200);
    await expectPaid(account);
  });

  test.each(["compress", "gzip, br", "zip", "*"])("Content-Encoding %s is refused with those that are accepted", async (coding) => {
    const account = await openAccount();
    const body = Buffer.from(JSON.stringify(promptOf()));
    const answer = await send(account.key, coding, body);
    const { details } = readError(answer, "UNSUPPORTED_MEDIA_TYPE");
    expect(answer.headers.get("accept-encoding")).toBe((details.accepted as string[]).join(", "));
    const ofOpenai = await send(account.key, coding, body, "/api/v1/chat/completions");
    expect(ofOpenai.status).toBe(415);
    expect(JSON.parse(ofOpenai.text)).toMatchObject({ error: { code: "UNSUPPORTED_MEDIA_TYPE", type: "invalid_request_error" } });
    const ofAnthropic = await send(account.key, coding, body, "/api/v1/messages");
    expect(ofAnthropic.status).toBe(415);
    expect(JSON.parse(ofAnthropic.text)).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
    expect((await send("pp_wrong", coding, body)).status).toBe(401);
    await expectUncharged(account);
  });
});

test("a client that stalls in the middle of a compressed body is cut off, and one that leaves holds nothing", async () => {
  const account = await openAccount();
  const packed = gzipSync(JSON.stringify(promptOf()));
  const head = `POST /api/v1/prompt HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${account.key}\r\ncontent-encoding: gzip\r\n`;
  const half = [`${head}content-length: ${packed.length}\r\n\r\n`, packed.subarray(0, packed.length / 2)];
  expect(await sendRaw(service.url("node"), half)).toMatch(/^HTTP\/1\.1 408 /);
  const left = connect(Number(new URL(service.url("node")).port), "127.0.0.1");
  for (const part of half) left.write(part);
  await until("its body is being read", async () => (await inFlight()) === 1);
  left.destroy();
  await expectUncharged(account);
});
