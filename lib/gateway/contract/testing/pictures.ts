// Images for requests: headers of any size, and as many bytes behind them as a test wants.

/** A PNG of these pixels, as its header says, in base64. */
export function png(width: number, height: number, bytes = 64): string {
  const image = Buffer.alloc(Math.max(64, bytes), 7);
  image.write("89504e470d0a1a0a0000000d49484452", "hex");
  image.writeUInt32BE(width, 16);
  image.writeUInt32BE(height, 20);
  return image.toString("base64");
}

/** A GIF whose canvas and first frame have these pixels. */
export function gif([width, height]: [number, number], [frameWidth, frameHeight]: [number, number]): string {
  const image = Buffer.alloc(64);
  image.write("GIF89a", "latin1");
  for (const [at, value] of [
    [6, width],
    [8, height],
    [21, 0],
    [23, 0],
    [26, frameWidth],
    [28, frameHeight],
  ] as const) {
    image.writeUInt16LE(value, at);
  }
  // An extension with one block of four bytes, then the first frame.
  Buffer.from([0x21, 0xf9, 0x04, 0, 0, 0, 0, 0]).copy(image, 13);
  image[21] = 0x2c;
  for (const [at, value] of [
    [22, 0],
    [24, 0],
    [26, frameWidth],
    [28, frameHeight],
  ] as const)
    image.writeUInt16LE(value, at);
  return image.toString("base64");
}

/** A JPEG with `metadataBytes` of metadata before its size. */
export function jpeg(width: number, height: number, metadataBytes = 0): string {
  const parts = [Buffer.from([0xff, 0xd8])];
  for (let left = metadataBytes; left > 0; left -= 60_000) {
    const length = Math.min(left, 60_000);
    const head = Buffer.from([0xff, 0xe1, 0, 0]);
    head.writeUInt16BE(length + 2, 2);
    parts.push(head, Buffer.alloc(length));
  }
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0, 0xff, 0xd9, 0, 0, 0, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  parts.push(frame);
  return Buffer.concat(parts).toString("base64");
}

/** A lossless WebP. */
export function webp(width: number, height: number): string {
  const image = Buffer.alloc(40);
  image.write("RIFF    WEBPVP8L", "latin1");
  image[20] = 0x2f;
  image.writeUInt32LE(((height - 1) << 14) | (width - 1), 21);
  return image.toString("base64");
}

export const dataUrl = (base64: string, type = "image/png"): string => `data:${type};base64,${base64}`;
