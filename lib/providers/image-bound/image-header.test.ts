// Sizes of images by their headers: of files that real encoders wrote, as an independent reader has them, and in few steps whatever a file
// claims.

import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { imageSize } from "image-size";
import { expect, test } from "vitest";
import { Base64Bytes } from "@/lib/base/base64-bytes";
import { LargeText } from "@/lib/base/large-text";
import { MAX_STEPS, readImageHeader } from "./image-header";

/** Written by Pillow 12.3 (libjpeg-turbo, libwebp, zlib), the interlaced PNG by hand: all of 37 x 23 pixels. */
const fixtures = readdirSync(new URL("fixtures", import.meta.url)).map(
  (name) => [name, readFileSync(new URL(`fixtures/${name}`, import.meta.url))] as const,
);
const fixture = (name: string): Buffer => Buffer.from(fixtures.find(([other]) => other === name)?.[1] ?? []);

/** What a step may read: marker and length of a JPEG's segment, and each byte of a signature. */
const MAX_READS = 6 * MAX_STEPS + 100;

/** Reads a header, and counts the bytes that were looked at. */
function measure(bytes: Uint8Array) {
  let reads = 0;
  const header = readImageHeader({
    length: bytes.length,
    byteAt: (at) => {
      reads += 1;
      const byte = bytes[at];
      if (byte === undefined) throw new Error(`read at ${at} of ${bytes.length}`);
      return byte;
    },
  });
  return { header, reads };
}

const headerOf = (bytes: Uint8Array) => measure(bytes).header;
const mediaTypes: Record<string, string> = { png: "image/png", jpg: "image/jpeg", gif: "image/gif", webp: "image/webp" };

test.each(fixtures)("%s has the size that another reader finds", (_name, bytes) => {
  const { width, height, type = "" } = imageSize(bytes);
  expect(headerOf(bytes)).toEqual({ mediaType: mediaTypes[type], width, height });
  expect([width, height]).toEqual([37, 23]);
});

test.each(fixtures)("%s is read from base64, padded or not, in a string and where it arrived", (_name, bytes) => {
  const header = headerOf(bytes);
  for (const text of [bytes.toString("base64"), bytes.toString("base64").replace(/=+$/, "")]) {
    for (const base64 of [text, new LargeText(Buffer.from(text))]) expect(readImageHeader(new Base64Bytes(base64))).toEqual(header);
  }
});

test.each(fixtures)("%s cut off anywhere has its size or none", (_name, bytes) => {
  const header = headerOf(bytes);
  const ends = Array.from({ length: bytes.length }, (_, end) => headerOf(bytes.subarray(0, end)));
  const firstWhole = ends.findIndex((found) => found !== null);
  expect(ends.slice(0, firstWhole)).toEqual(Array(firstWhole).fill(null));
  expect(ends.slice(firstWhole)).toEqual(Array(bytes.length - firstWhole).fill(header));
});

const segment = (marker: number, content: number): Buffer => {
  const bytes = Buffer.alloc(4 + content, 0xff);
  bytes.writeUInt16BE(0xff00 + marker);
  bytes.writeUInt16BE(content + 2, 2);
  return bytes;
};
const withFirst = (jpeg: Buffer, ...parts: Uint8Array[]): Buffer => Buffer.concat([jpeg.subarray(0, 2), ...parts, jpeg.subarray(2)]);
const frame = (marker: number): Buffer => Buffer.from([0xff, marker, 0, 11, 8, 0, 23, 0, 37, 1, 1, 0x11, 0]);
const start = Buffer.from([0xff, 0xd8]);

test("a JPEG's size lies behind its metadata, however long that is", () => {
  const metadata = Array.from({ length: 100 }, () => segment(0xe2, 65_000));
  for (const name of ["baseline.jpg", "progressive.jpg", "cmyk.jpg", "rotated.jpg"]) {
    const { header, reads } = measure(withFirst(fixture(name), ...metadata));
    expect(header).toEqual({ mediaType: "image/jpeg", width: 37, height: 23 });
    expect(reads).toBeLessThan(1_000);
  }
});

test.each<[what: string, jpeg: Buffer]>([
  ["padding before a marker", withFirst(fixture("baseline.jpg"), Buffer.alloc(900, 0xff))],
  ["bytes between segments that are no marker", withFirst(fixture("baseline.jpg"), segment(0xe1, 8), Buffer.alloc(900, 7))],
  ["an escaped 0xff between segments", withFirst(fixture("baseline.jpg"), segment(0xe1, 8), Buffer.from([0xff, 0]))],
  ["a restart marker before the frame", withFirst(fixture("baseline.jpg"), Buffer.from([0xff, 0xd0]))],
  ["its frame at once", Buffer.concat([start, frame(0xc1)])],
  ["a second frame, which no decoder takes for the first", Buffer.concat([start, frame(0xc0), Buffer.alloc(20, 0xff)])],
])("a JPEG with %s is read", (_what, jpeg) => {
  expect(headerOf(jpeg)).toEqual({ mediaType: "image/jpeg", width: 37, height: 23 });
});

const withBytes = (bytes: Buffer, at: number, ...values: number[]): Buffer => {
  for (const [index, value] of values.entries()) bytes[at + index] = value;
  return bytes;
};
/** A GIF whose first frame, of 16 x 9 pixels at 3, 4, follows this many blocks of one byte. */
function gifOf(blocks: number, { canvas = 1 } = {}): Buffer {
  const extension = Buffer.alloc(2 + 2 * blocks + 1, 1);
  extension.set([0x21, 0xfe]);
  extension[extension.length - 1] = 0;
  const head = Buffer.from([...Buffer.from("GIF89a"), canvas, 0, canvas, 0, 0, 0, 0]);
  return Buffer.concat([head, extension, Buffer.from([0x2c, 3, 0, 4, 0, 16, 0, 9, 0, 0])]);
}

test("a GIF's first frame enlarges its canvas, behind comments of many blocks", () => {
  expect(headerOf(gifOf(900))).toEqual({ mediaType: "image/gif", width: 19, height: 13 });
  expect(headerOf(gifOf(900, { canvas: 200 }))).toEqual({ mediaType: "image/gif", width: 200, height: 200 });
  const still = fixture("still.gif");
  expect(headerOf(withBytes(still, still.indexOf(0x2c, 13) + 5, 0, 8))).toEqual({ mediaType: "image/gif", width: 2_048, height: 23 });
});

test.each<[what: string, image: Buffer]>([
  ["a JPEG of zeros", withBytes(Buffer.alloc(780_000), 0, 0xff, 0xd8, 0xff, 0xe0)],
  ["a JPEG whose segment is shorter than its own length", Buffer.concat([start, Buffer.from([0xff, 0xe0, 0, 1]), frame(0xc0)])],
  ["a JPEG whose segment reaches beyond the end", Buffer.concat([start, segment(0xe0, 500).subarray(0, 400)])],
  ["a JPEG with more segments than any has", Buffer.concat([start, ...Array(2_000).fill(segment(0xe0, 0)), frame(0xc0)])],
  ["a JPEG of padding", withBytes(Buffer.alloc(500_000, 0xff), 1, 0xd8)],
  ["a JPEG that scans before it has a frame", Buffer.concat([start, segment(0xda, 10), frame(0xc0)])],
  ["a JPEG that ends before it has a frame", Buffer.concat([start, Buffer.from([0xff, 0xd9]), frame(0xc0)])],
  ["a JPEG within a JPEG", Buffer.concat([start, start, frame(0xc0)])],
  ["a lossless JPEG", Buffer.concat([start, frame(0xc3)])],
  ["an arithmetic JPEG before a common frame", Buffer.concat([start, frame(0xc9), frame(0xc0)])],
  ["a JPEG whose frame has another length than its components", Buffer.concat([start, withBytes(frame(0xc0), 9, 3)])],
  ["a JPEG without lines", Buffer.concat([start, withBytes(frame(0xc0), 5, 0, 0)])],
  ["a GIF with more blocks than any has", gifOf(1_000)],
  ["a GIF without a frame", Buffer.from("GIF89a\x01\x00\x01\x00\x00\x00\x00\x3b", "latin1")],
  ["a GIF whose canvas is empty", gifOf(1, { canvas: 0 })],
  ["a PNG whose header has another length", withBytes(fixture("rgb.png"), 11, 14)],
  ["a PNG without columns", withBytes(fixture("rgb.png"), 16, 0, 0, 0, 0)],
  ["a PNG that begins with another chunk", withBytes(fixture("rgb.png"), 12, 0x49, 0x44, 0x41, 0x54)],
  ["a WebP of an unknown kind", withBytes(fixture("lossy.webp"), 15, 0x39)],
  ["a WebP whose first frame is no key frame", withBytes(fixture("lossy.webp"), 20, 1)],
  ["a lossy WebP without columns", withBytes(fixture("lossy.webp"), 26, 0, 0)],
  ["a lossless WebP without its signature", withBytes(fixture("lossless.webp"), 20, 0)],
  ["an extended WebP with reserved flags", withBytes(fixture("alpha.webp"), 20, 0x80)],
  ["another file in a RIFF", withBytes(fixture("lossy.webp"), 8, 0x41, 0x56, 0x49, 0x20)],
  ["nothing", Buffer.alloc(0)],
])("%s has no size, after few steps", (_what, image) => {
  const { header, reads } = measure(image);
  expect(header).toBeNull();
  expect(reads).toBeLessThanOrEqual(MAX_READS);
});

test("thirty JPEGs of zeros, 31 MB of base64, cost 30 steps", () => {
  const base64 = withBytes(Buffer.alloc(780_000), 0, 0xff, 0xd8, 0xff, 0xe0).toString("base64");
  const large = new LargeText(Buffer.from(base64));
  let reads = 0;
  for (let image = 0; image < 30; image++) {
    const bytes = new Base64Bytes(large);
    const byteAt = (at: number): number => {
      reads += 1;
      return bytes.byteAt(at);
    };
    expect(readImageHeader({ length: bytes.length, byteAt })).toBeNull();
  }
  expect(reads).toBeLessThanOrEqual(30 * 16);
});

const signatures = fixtures.map(([, bytes]) => bytes.subarray(0, 16));
const mutated = fc
  .record({
    image: fc.constantFrom(...fixtures.map(([, bytes]) => bytes)),
    changes: fc.array(fc.tuple(fc.nat(1_000), fc.integer({ min: 0, max: 255 })), { maxLength: 20 }),
    tail: fc.uint8Array({ maxLength: 1_000 }),
  })
  .map(({ image, changes, tail }) => {
    const bytes = Buffer.concat([image, tail]);
    for (const [at, value] of changes) bytes[at % bytes.length] = value;
    return bytes;
  });
/** 64 KiB of one pattern behind a signature: what makes a reader go on. */
const patterned = fc
  .record({ signature: fc.constantFrom(...signatures), pattern: fc.uint8Array({ minLength: 1, maxLength: 12 }) })
  .map(({ signature, pattern }) => Buffer.concat([signature, Buffer.alloc(65_536, Buffer.from(pattern))]));
const headed = fc
  .record({ signature: fc.constantFrom(...signatures), rest: fc.uint8Array({ maxLength: 65_536, size: "max" }) })
  .map(({ signature, rest }) => Buffer.concat([signature, rest]));

test("no file takes more than a thousand steps, is read beyond its end, or makes the reader throw", () => {
  fc.assert(
    fc.property(fc.oneof(mutated, patterned, { arbitrary: headed, weight: 1 }, fc.uint8Array({ maxLength: 200 })), (bytes) => {
      const { header, reads } = measure(bytes);
      expect(reads).toBeLessThanOrEqual(MAX_READS);
      if (header) expect(header.width > 0 && header.height > 0).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test("a size that an independent reader also finds in a changed file is the same, or that of a GIF's larger frame", () => {
  fc.assert(
    fc.property(mutated, (bytes) => {
      const ours = headerOf(bytes);
      if (!ours || ours.mediaType === "image/gif" || ours.mediaType === "image/jpeg") return;
      const { width, height, type = "" } = imageSize(bytes);
      expect({ mediaType: mediaTypes[type], width, height }).toEqual(ours);
    }),
    { numRuns: 500 },
  );
});
