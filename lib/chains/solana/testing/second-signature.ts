// Ed25519 as in RFC 8032, but with a random nonce: a second valid signature of the same message by the same key. Only the key's holder can
// make one.

import { createHash, randomBytes } from "node:crypto";

const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

type Point = readonly [x: bigint, y: bigint, z: bigint, t: bigint];

const mod = (value: bigint, by = P): bigint => ((value % by) + by) % by;
const X = 15112221349535400772501151409588531511454012693041857206046113283949847762202n;
const Y = 46316835694926478169428394003475163141307993866256225615783033603165251855960n;
const BASE: Point = [X, Y, 1n, mod(X * Y)];

function add([x1, y1, z1, t1]: Point, [x2, y2, z2, t2]: Point): Point {
  const [a, b, c, d] = [mod((y1 - x1) * (y2 - x2)), mod((y1 + x1) * (y2 + x2)), mod(2n * t1 * t2 * D), mod(2n * z1 * z2)];
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)];
}

function multiply(scalar: bigint): Point {
  let [sum, power]: Point[] = [[0n, 1n, 1n, 0n], BASE];
  for (let rest = scalar; rest > 0n; rest >>= 1n) {
    if (rest & 1n) sum = add(sum as Point, power as Point);
    power = add(power as Point, power as Point);
  }
  return sum as Point;
}

function inverse(value: bigint): bigint {
  let [result, base] = [1n, mod(value)];
  for (let exponent = P - 2n; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = mod(result * base);
    base = mod(base * base);
  }
  return result;
}

const toBytes = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, "0"), "hex").reverse();
const fromBytes = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
const sha512 = (...parts: Uint8Array[]): Buffer => createHash("sha512").update(Buffer.concat(parts)).digest();

function encode([x, y, z]: Point): Buffer {
  const [affineX, affineY] = [mod(x * inverse(z)), mod(y * inverse(z))];
  return toBytes(affineY | ((affineX & 1n) << 255n));
}

/** 64 bytes, different at each call. @param secretKey 64 bytes, as in web3.js */
export function signOnceMore(secretKey: Uint8Array, message: Uint8Array): Buffer {
  const [seed, publicKey] = [secretKey.subarray(0, 32), secretKey.subarray(32)];
  const clamped = sha512(seed).subarray(0, 32);
  clamped[0] = (clamped[0] ?? 0) & 248;
  clamped[31] = ((clamped[31] ?? 0) & 127) | 64;
  const nonce = mod(fromBytes(randomBytes(64)), L);
  const point = encode(multiply(nonce));
  const challenge = mod(fromBytes(sha512(point, publicKey, message)), L);
  return Buffer.concat([point, toBytes(mod(nonce + challenge * fromBytes(clamped), L))]);
}
