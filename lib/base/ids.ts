// Identifiers: a prefix that says what it names, then eight base62 digits of Unix milliseconds and twelve random ones.
// They sort by time as plain text, so an id is also a page cursor.

import { randomBytes } from "node:crypto";
import { nowMs } from "./clock";
import { processSingleton } from "./process-singleton";

declare const requestIdBrand: unique symbol;
declare const accountIdBrand: unique symbol;
declare const keyIdBrand: unique symbol;
declare const sessionIdBrand: unique symbol;
declare const withdrawalIdBrand: unique symbol;

export type RequestId = string & { readonly [requestIdBrand]: true };
export type AccountId = string & { readonly [accountIdBrand]: true };
export type KeyId = string & { readonly [keyIdBrand]: true };
export type SessionId = string & { readonly [sessionIdBrand]: true };
export type WithdrawalId = string & { readonly [withdrawalIdBrand]: true };

// In ASCII order, so that text order is time order.
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const TIME_DIGITS = 8;
const RANDOM_DIGITS = 12;

/** Secure random bytes, fetched in bulk: a system call for each id would cost more than the id. Each byte is used once. */
const randomPool = processSingleton("random bytes", () => ({ bytes: Buffer.alloc(0), used: 0 }));

const POOL_BYTES = 4_096;

function nextRandomByte(pool: { bytes: Buffer; used: number }): number {
  if (pool.used >= pool.bytes.length) {
    pool.bytes = randomBytes(POOL_BYTES);
    pool.used = 0;
  }
  const byte = pool.bytes[pool.used] ?? 0;
  pool.bytes[pool.used] = 0;
  pool.used += 1;
  return byte;
}

/** Two digits at a time, so that an id is joined from half as many pieces of text. */
const PAIRS = Array.from({ length: 62 * 62 }, (_, value) => toBase62(value, 2));

/** `length` base62 digits from the system's secure random source, without modulo bias. */
export function randomBase62(length: number): string {
  const pool = randomPool();
  let text = "";
  while (text.length + 1 < length) {
    const number = nextRandomByte(pool) * 256 + nextRandomByte(pool);
    // 65,348 = 17 × 62 × 62: larger numbers would make the first pairs likelier, as numbers from 248 = 4 × 62 on would below.
    if (number < 65_348) text += PAIRS[number % PAIRS.length];
  }
  while (text.length < length) {
    const byte = nextRandomByte(pool);
    if (byte < 248) text += BASE62[byte % 62];
  }
  return text;
}

/** `value` in base62, most significant digit first, padded to `width`. */
export function toBase62(value: number, width: number): string {
  let text = "";
  for (let rest = value; text.length < width; rest = Math.floor(rest / 62)) text = BASE62[rest % 62] + text;
  return text;
}

const lastTime = processSingleton("last time of an id", () => ({ ms: Number.NaN, digits: "" }));

/** Keeps its last text: many ids are made within one millisecond. */
function timeDigits(): string {
  const last = lastTime();
  const ms = nowMs();
  if (ms !== last.ms) {
    last.ms = ms;
    last.digits = toBase62(ms, TIME_DIGITS);
  }
  return last.digits;
}

const timeOrderedId = (prefix: string): string => `${prefix}_${timeDigits()}${randomBase62(RANDOM_DIGITS)}`;

export const newRequestId = (): RequestId => timeOrderedId("req") as RequestId;
export const newAccountId = (): AccountId => timeOrderedId("acc") as AccountId;
export const newKeyId = (): KeyId => timeOrderedId("key") as KeyId;
export const newSessionId = (): SessionId => timeOrderedId("ses") as SessionId;
export const newPaymentId = (): string => timeOrderedId("pay");
export const newSweepId = (): string => timeOrderedId("sweep");
export const newEndpointId = (): string => timeOrderedId("end");
export const newWithdrawalId = (): WithdrawalId => timeOrderedId("wd") as WithdrawalId;

/** When a time-ordered id was made, Unix milliseconds: a request's id is made as the request begins. */
export function madeAtMs(id: string): number {
  const digits = id.slice(id.indexOf("_") + 1, id.indexOf("_") + 1 + TIME_DIGITS);
  let ms = 0;
  for (const digit of digits) ms = ms * 62 + BASE62.indexOf(digit);
  return ms;
}

/** The smallest request id of the given moment: a lower bound for time-range reads. */
export const requestIdAt = (ms: number): string => `req_${toBase62(ms, TIME_DIGITS)}`;
