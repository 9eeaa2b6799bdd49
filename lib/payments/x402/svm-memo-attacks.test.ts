// Attacks by reading the chain: memos are public for ever, and prompts can be guessed.

import { createHash } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { setSandboxPepper } from "@/lib/base/pepper";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { isMemoOf, newMemo } from "./svm-memo";

setSandboxPepper("a pepper for tests, of more than 32 characters");
afterAll(() => forgetSingleton("pepper"));

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

test("a memo does not confirm a guessed request, and two payments for one request cannot be linked", () => {
  const bodyHash = hashOf("a prompt that somebody may guess");
  const [one, other] = [newMemo(bodyHash), newMemo(bodyHash)];
  const guess = Buffer.from(bodyHash, "hex").toString("base64url");
  for (const memo of [one, other]) {
    expect(memo).toMatch(/^[\w-]{32}$/);
    expect(memo.slice(0, 4)).not.toBe(guess.slice(0, 4));
  }
  expect(one.slice(0, 22)).not.toBe(other.slice(0, 22));
});

test("a memo belongs to its own request alone, and to no changed one", () => {
  const bodyHash = hashOf("a request");
  const memo = newMemo(bodyHash);
  expect(isMemoOf(memo, bodyHash)).toBe(true);
  expect(isMemoOf(memo, hashOf("another request"))).toBe(false);
  for (const at of [0, 21, 22, 31]) {
    const changed = memo.slice(0, at) + (memo[at] === "A" ? "B" : "A") + memo.slice(at + 1);
    expect(isMemoOf(changed, bodyHash), `${at}`).toBe(false);
  }
  for (const odd of ["", memo.slice(1), `${memo}A`]) expect(isMemoOf(odd, bodyHash)).toBe(false);
});
