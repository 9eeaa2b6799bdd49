// The format of an API key: `pp_`, 32 random base62 characters (190 bits), and 6 check characters, so that a key truncated in copying
// is refused without a database read. Only an HMAC under the server's pepper is stored.

import { createHmac } from "node:crypto";
import { crc32 } from "node:zlib";
import { randomBase62, toBase62 } from "@/lib/base/ids";

const PREFIX = "pp_";
const RANDOM_LENGTH = 32;
const CHECK_LENGTH = 6;
const keyForm = /^pp_[0-9A-Za-z]{38}$/;

function checkDigits(body: string): string {
  return toBase62(crc32(body), CHECK_LENGTH);
}

/** A new API key: the only time that it exists in clear text. */
export function generateKey(): string {
  const body = PREFIX + randomBase62(RANDOM_LENGTH);
  return body + checkDigits(body);
}

/** True when `text` has the form of a key and its check digits agree. */
export function isWellFormedKey(text: string): boolean {
  return keyForm.test(text) && text.slice(-CHECK_LENGTH) === checkDigits(text.slice(0, -CHECK_LENGTH));
}

/** HMAC-SHA256 of a key under the pepper, 32 bytes: the stored form, by which keys are looked up. */
export function hashKey(key: string, pepper: string): Buffer {
  return createHmac("sha256", pepper).update(key).digest();
}

/** What a list may show of a key: its first 7 and last 4 characters. */
export function keyDisplay(key: string): { prefix: string; last4: string } {
  return { prefix: key.slice(0, 7), last4: key.slice(-4) };
}
