// The size of an image as its header says, for the simulated models: their own reader, so that what they bill is not what we held.

export interface PixelSize {
  width: number;
  height: number;
}

/** Null for bytes that are no PNG, JPEG, GIF or WebP. */
export function readPixelSize(bytes: Buffer): PixelSize | null {
  try {
    return readPng(bytes) ?? readGif(bytes) ?? readWebp(bytes) ?? readJpeg(bytes);
  } catch {
    return null; // a header that was cut off
  }
}

const begins = (bytes: Buffer, hex: string): boolean => bytes.subarray(0, hex.length / 2).toString("hex") === hex;

const readPng = (bytes: Buffer): PixelSize | null =>
  begins(bytes, "89504e470d0a1a0a") ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : null;

const readGif = (bytes: Buffer): PixelSize | null =>
  begins(bytes, "474946383761") || begins(bytes, "474946383961") ? { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) } : null;

function readWebp(bytes: Buffer): PixelSize | null {
  if (!begins(bytes, "52494646") || bytes.toString("latin1", 8, 12) !== "WEBP") return null;
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case "VP8L": {
      const packed = bytes.readUInt32LE(21);
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return null;
  }
}

function readJpeg(bytes: Buffer): PixelSize | null {
  if (!begins(bytes, "ffd8ff")) return null;
  for (let at = 2; ; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff) return null;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
  }
}
