// The type and the size of an image as its header says: PNG, JPEG, GIF or WebP. Nothing is decoded, and bytes between the parts of a header
// are passed over by their length, so that no file costs more than MAX_STEPS steps of a few bytes each, wherever its header ends. The rules
// are those of the decoders that providers use: an image that they refuse as broken has no size here.

import type { ImageMediaType } from "../conversation/images";

/** Bytes that can be read one by one, at any index below `length`. */
export interface ByteSource {
  readonly length: number;
  byteAt(at: number): number;
}

export interface ImageSize {
  width: number;
  height: number;
}

export interface ImageHeader extends ImageSize {
  mediaType: ImageMediaType;
}

/** Segments of a JPEG and blocks of a GIF until its size. Metadata of many megabytes takes some hundred. */
export const MAX_STEPS = 1_000;

interface ImageFormat {
  mediaType: ImageMediaType;
  hasSignature: (bytes: ByteSource) => boolean;
  readSize: (bytes: ByteSource) => ImageSize | null;
}

const formats: readonly ImageFormat[] = [
  { mediaType: "image/png", hasSignature: (bytes) => isText(bytes, 0, "\x89PNG\r\n\x1a\n"), readSize: pngSize },
  { mediaType: "image/jpeg", hasSignature: (bytes) => isText(bytes, 0, "\xff\xd8\xff"), readSize: jpegSize },
  { mediaType: "image/gif", hasSignature: (bytes) => isText(bytes, 0, "GIF87a") || isText(bytes, 0, "GIF89a"), readSize: gifSize },
  { mediaType: "image/webp", hasSignature: (bytes) => isText(bytes, 0, "RIFF") && isText(bytes, 8, "WEBP"), readSize: webpSize },
];

/** Null for anything else, and for a header that is cut off, broken or longer than MAX_STEPS steps, or that says an edge of 0. */
export function readImageHeader(bytes: ByteSource): ImageHeader | null {
  const format = formats.find(({ hasSignature }) => hasSignature(bytes));
  const size = format?.readSize(bytes);
  return format && size && size.width > 0 && size.height > 0 ? { mediaType: format.mediaType, ...size } : null;
}

/** True when all of `text`, a byte for each character, stands there. */
function isText(bytes: ByteSource, at: number, text: string): boolean {
  if (at + text.length > bytes.length) return false;
  for (let index = 0; index < text.length; index++) if (bytes.byteAt(at + index) !== text.charCodeAt(index)) return false;
  return true;
}

const bigEndian16 = (bytes: ByteSource, at: number): number => bytes.byteAt(at) * 0x100 + bytes.byteAt(at + 1);
const bigEndian32 = (bytes: ByteSource, at: number): number => bigEndian16(bytes, at) * 0x10000 + bigEndian16(bytes, at + 2);
const littleEndian16 = (bytes: ByteSource, at: number): number => bytes.byteAt(at + 1) * 0x100 + bytes.byteAt(at);
const littleEndian24 = (bytes: ByteSource, at: number): number => bytes.byteAt(at + 2) * 0x10000 + littleEndian16(bytes, at);

const PNG_HEADER_BYTES = 13;

/** Each chunk: length, name, content, checksum. IHDR is the first, except behind a chunk of Apple's with four bytes. */
function pngSize(bytes: ByteSource): ImageSize | null {
  const at = isText(bytes, 12, "CgBI") ? 24 : 8;
  if (!isText(bytes, at + 4, "IHDR") || at + 8 + PNG_HEADER_BYTES > bytes.length) return null;
  if (bigEndian32(bytes, at) !== PNG_HEADER_BYTES) return null;
  return { width: bigEndian32(bytes, at + 8), height: bigEndian32(bytes, at + 12) };
}

// Markers of ITU-T T.81, table B.1. Frames of other kinds than these three (lossless, hierarchical, arithmetic) are read by no provider.
const frameMarkers = new Set([0xc0, 0xc1, 0xc2]);
const otherFrameMarkers = new Set([0xc3, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]);
/** A second image, its end, and the first scan: none of them stands before the frame. */
const misplacedMarkers = new Set([0xd8, 0xd9, 0xda]);
const isWithoutLength = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);

/**
 * The first frame's size. As libjpeg does, bytes that are no marker are passed over where a marker is due, and so is padding of 0xff;
 * each of them is a step.
 */
function jpegSize(bytes: ByteSource): ImageSize | null {
  let at = 2;
  for (let step = 0; step < MAX_STEPS && at + 4 <= bytes.length; step++) {
    const marker = bytes.byteAt(at + 1);
    if (bytes.byteAt(at) !== 0xff || marker === 0xff) at += 1;
    else if (marker === 0x00 || isWithoutLength(marker)) at += 2;
    else if (otherFrameMarkers.has(marker) || misplacedMarkers.has(marker)) return null;
    else {
      const length = bigEndian16(bytes, at + 2);
      if (length < 2) return null;
      if (frameMarkers.has(marker)) return frameSize(bytes, at + 2, length);
      at += 2 + length;
    }
  }
  return null;
}

/** Length, precision, height, width, number of components, and three bytes for each of these. */
function frameSize(bytes: ByteSource, at: number, length: number): ImageSize | null {
  if (at + length > bytes.length || length !== 8 + 3 * bytes.byteAt(at + 7)) return null;
  return { width: bigEndian16(bytes, at + 5), height: bigEndian16(bytes, at + 3) };
}

const GIF_HEADER_BYTES = 13;
const GIF_FRAME_BYTES = 10;

/** The canvas, or the first frame where that reaches beyond it: a decoder may enlarge the canvas to it. */
function gifSize(bytes: ByteSource): ImageSize | null {
  if (bytes.length < GIF_HEADER_BYTES) return null;
  const canvas = { width: littleEndian16(bytes, 6), height: littleEndian16(bytes, 8) };
  const frame = firstGifFrame(bytes);
  if (!frame || canvas.width === 0 || canvas.height === 0) return null;
  return { width: Math.max(canvas.width, frame.width), height: Math.max(canvas.height, frame.height) };
}

/** How far the first frame reaches: its descriptor follows the colours and any extensions, whose blocks end with an empty one. */
function firstGifFrame(bytes: ByteSource): ImageSize | null {
  const flags = bytes.byteAt(10);
  let at = GIF_HEADER_BYTES + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let isInExtension = false;
  for (let step = 0; step < MAX_STEPS && at < bytes.length; step++) {
    const byte = bytes.byteAt(at);
    if (isInExtension) {
      at += 1 + byte;
      isInExtension = byte !== 0;
    } else if (byte === 0x21) {
      at += 2;
      isInExtension = true;
    } else if (byte !== 0x2c || at + GIF_FRAME_BYTES > bytes.length) return null;
    else {
      const width = littleEndian16(bytes, at + 1) + littleEndian16(bytes, at + 5);
      return { width, height: littleEndian16(bytes, at + 3) + littleEndian16(bytes, at + 7) };
    }
  }
  return null;
}

/** The first chunk's content begins here. */
const WEBP_CONTENT = 20;

/** Each kind of the first chunk has the size in other bytes (RFC 9649). */
const webpChunks: readonly { name: string; headerBytes: number; readSize: ImageFormat["readSize"] }[] = [
  { name: "VP8 ", headerBytes: 10, readSize: lossyWebpSize },
  { name: "VP8L", headerBytes: 5, readSize: losslessWebpSize },
  { name: "VP8X", headerBytes: 10, readSize: extendedWebpSize },
];

function webpSize(bytes: ByteSource): ImageSize | null {
  const chunk = webpChunks.find(({ name }) => isText(bytes, 12, name));
  return chunk && WEBP_CONTENT + chunk.headerBytes <= bytes.length ? chunk.readSize(bytes) : null;
}

function lossyWebpSize(bytes: ByteSource): ImageSize | null {
  const isKeyFrame = (bytes.byteAt(WEBP_CONTENT) & 1) === 0;
  if (!isKeyFrame || !isText(bytes, WEBP_CONTENT + 3, "\x9d\x01\x2a")) return null;
  // The two high bits of each are a scale for showing it.
  return { width: littleEndian16(bytes, WEBP_CONTENT + 6) & 0x3fff, height: littleEndian16(bytes, WEBP_CONTENT + 8) & 0x3fff };
}

/** A signature, then fourteen bits for each edge, less one. */
function losslessWebpSize(bytes: ByteSource): ImageSize | null {
  if (bytes.byteAt(WEBP_CONTENT) !== 0x2f) return null;
  const [low, high] = [littleEndian16(bytes, WEBP_CONTENT + 1), littleEndian16(bytes, WEBP_CONTENT + 3)];
  return { width: (low & 0x3fff) + 1, height: (high & 0x0fff) * 4 + (low >> 14) + 1 };
}

/** The canvas, of which no frame may reach beyond: three bytes for each edge, less one. The reserved bits of the flags are 0. */
function extendedWebpSize(bytes: ByteSource): ImageSize | null {
  if ((bytes.byteAt(WEBP_CONTENT) & 0xc1) !== 0) return null;
  return { width: littleEndian24(bytes, WEBP_CONTENT + 4) + 1, height: littleEndian24(bytes, WEBP_CONTENT + 7) + 1 };
}
