// Compressed bodies (RFC 9110, 8.4.1): unpacked piece by piece, as fast as they are read and no further, so that a small body that unpacks to
// gigabytes is never in memory beyond its reader's limit. zlib works in threads of its own.

import { Readable, type Transform } from "node:stream";
import * as zlib from "node:zlib";
import { AppError } from "@/lib/base/errors";

/** Of Node 22.15 and later; the types are those of Node 20. */
const { createZstdDecompress } = zlib as typeof zlib & {
  createZstdDecompress?: (options: { chunkSize: number; params: Record<number, number> }) => Transform;
};

const allCodings = ["gzip", "deflate", "br", "zstd"] as const;
export type Coding = (typeof allCodings)[number];

const codings = allCodings.filter((name) => name !== "zstd" || createZstdDecompress !== undefined);

/** The fault that a body is refused for while it is unpacked: it is not in its named coding, or longer packed than it may be plain. */
export class CodingFault extends Error {
  readonly problem: "content_encoding" | "too_large";

  constructor(problem: CodingFault["problem"], cause?: unknown) {
    super(problem, { cause });
    this.problem = problem;
  }
}

/**
 * How a body is packed; null for a plain one.
 * @throws AppError UNSUPPORTED_MEDIA_TYPE
 */
export function contentCoding(header: string | undefined): Coding | null {
  if (header === undefined) return null;
  const names = header.split(",").map((name) => name.trim().toLowerCase());
  const [name, ...more] = names.filter((one) => one !== "" && one !== "identity");
  if (name === undefined) return null;
  const coding = codings.find((one) => one === name || `x-${one}` === name);
  if (coding && more.length === 0) return coding;
  const accepted = codings.join(", ");
  const message = `The body's Content-Encoding is ${header.slice(0, 80)}. Send the body plain, or with one of these: ${accepted}`;
  throw new AppError("UNSUPPORTED_MEDIA_TYPE", { message, details: { accepted: [...codings] }, headers: { "accept-encoding": accepted } });
}

const CHUNK_BYTES = 65_536;
const options = { chunkSize: CHUNK_BYTES };
/** A frame says how much its reader must keep: up to 8 MiB, which every reader should have (RFC 8878, 3.1.1.1.2). Node's types lack the name. */
const ZSTD_WINDOW_LOG_MAX = 100;
const zstdOptions = { ...options, params: { [ZSTD_WINDOW_LOG_MAX]: 23 } };

function createDecoder(coding: Coding, firstByte: number): Transform {
  if (coding === "gzip") return zlib.createGunzip(options);
  if (coding === "br") return zlib.createBrotliDecompress(options);
  if (coding === "zstd" && createZstdDecompress) return createZstdDecompress(zstdOptions);
  // Some clients send deflate without the zlib format that the name stands for (RFC 9110, 8.4.1.2); its first byte ends with an 8.
  return (firstByte & 0x0f) === 8 ? zlib.createInflate(options) : zlib.createInflateRaw(options);
}

/**
 * The unpacked bytes of a body, of which at most so many are read. Bytes after the end of the packed data are ignored.
 * @throws CodingFault, and what `packed` throws
 */
export async function* unpack(
  packed: AsyncIterable<Uint8Array>,
  coding: Coding,
  mostPackedBytes: number,
): AsyncGenerator<Uint8Array, void> {
  const pieces = bounded(packed, mostPackedBytes);
  const first = await pieces.next();
  if (first.done) return;
  const source = Readable.from(startingWith(first.value, pieces), { objectMode: false });
  const decoder = createDecoder(coding, first.value[0] ?? 0);
  source.once("error", (error) => decoder.destroy(error));
  source.pipe(decoder);
  try {
    for await (const chunk of decoder) yield chunk as Uint8Array;
  } catch (error) {
    throw source.errored ?? new CodingFault("content_encoding", error);
  } finally {
    source.destroy();
    decoder.destroy();
  }
}

async function* bounded(packed: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<Uint8Array, void> {
  let bytes = 0;
  for await (const piece of packed) {
    bytes += piece.length;
    if (bytes > mostBytes) throw new CodingFault("too_large");
    if (piece.length > 0) yield piece;
  }
}

async function* startingWith(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  yield first;
  yield* rest;
}
