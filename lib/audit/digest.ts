// The rule of the chain, once: an entry's digest covers the digest before it and its own content. Personal fields are covered by a salted
// commitment only, so that they can be erased with their salt and the chain still holds.

import { createHash } from "node:crypto";

/** An entry as it is read for the chain: everything as the text that PostgreSQL writes, bytes in hexadecimal. */
export interface StoredEntry {
  place: bigint;
  id: string;
  accountId: string | null;
  kind: string;
  /** Microseconds since 1970. */
  at: string;
  actor: string;
  subject: string | null;
  before: string | null;
  after: string | null;
  personal: string | null;
  salt: string | null;
  commitment: string | null;
  sequence: bigint | null;
  digest: string | null;
}

/** A place in the chain: how many entries it has, and the digest of the last. */
export interface Head {
  sequence: bigint;
  /** Hexadecimal. */
  digest: string;
}

/** Before the first entry. */
export const START: Head = { sequence: 0n, digest: "0".repeat(64) };

/** The place of `entry` after `previous`. */
export function follow(previous: Head, entry: StoredEntry): Head {
  const { id, accountId, kind, at, actor, subject, before, after, commitment } = entry;
  const content = sha256(JSON.stringify([id, accountId, kind, at, actor, subject, before, after, commitment]));
  const sequence = previous.sequence + 1n;
  return { sequence, digest: sha256(`${sequence} ${previous.digest} ${content}`) };
}

/** Whether the personal fields, unless they are erased, are those of the commitment. */
export function isPersonalTrue({ personal, salt, commitment }: StoredEntry): boolean {
  if (personal === null && salt === null) return true;
  if (personal === null || salt === null) return false; // nobody erases one of them
  return createHash("sha256").update(Buffer.from(salt, "hex")).update(personal).digest("hex") === commitment;
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
