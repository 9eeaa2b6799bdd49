import { beforeAll, expect, test } from "vitest";
import { setSandboxSessionSecret } from "@/lib/access/session-secret";
import { newAccountId, newSessionId } from "@/lib/base/ids";
import { forgetSingleton } from "@/lib/base/process-singleton";
import type { Owner } from "../owner";
import { csrfToken, isCsrfToken, isSameOrigin } from "./same-origin";

const secret = "a session secret for tests, of more than 32 characters";
beforeAll(() => setSandboxSessionSecret(secret));

const newOwner = (): Owner => ({
  accountId: newAccountId(),
  sessionId: newSessionId(),
  wallet: { chain: "evm", address: `0x${"ab".repeat(20)}` },
  isFrozen: false,
  isLeaving: false,
  confirmedAt: new Date(0),
  spendsUntil: null,
});

test("a token is valid only for its own session and this secret", () => {
  const [owner, other] = [newOwner(), newOwner()];
  const token = csrfToken(owner);
  expect(isCsrfToken(owner, token)).toBe(true);
  expect(token).not.toContain(owner.sessionId);
  for (const wrong of [null, "", "rubbish", token.slice(1), `${token}x`, csrfToken(other)]) expect(isCsrfToken(owner, wrong)).toBe(false);
  expect(isCsrfToken({ ...owner, sessionId: other.sessionId }, token)).toBe(false);
  forgetSingleton("session secret");
  expect(() => csrfToken(owner)).toThrow("SESSION_SECRET is not set");
  setSandboxSessionSecret(`another ${secret}`);
  expect(isCsrfToken(owner, token)).toBe(false);
});

test("a request counts as same-origin only when the browser's headers fully say so", () => {
  const from = (headers: Record<string, string>) => isSameOrigin(new Request("http://evil.example/", { method: "POST", headers }));
  expect(from({ origin: "http://127.0.0.1:3000" })).toBe(true);
  for (const origin of ["null", "http://127.0.0.1", "http://127.0.0.1:3000/", "http://127.0.0.1:3001", "https://127.0.0.1:3000"]) {
    expect(from({ origin }), origin).toBe(false);
  }
  expect(from({})).toBe(false);
  expect(from({ host: "127.0.0.1:3000", referer: "http://127.0.0.1:3000/x" })).toBe(false);
});
