import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { setSandboxSessionSecret } from "@/lib/access/session-secret";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { findOwnerOf } from "../owner";
import { TestBrowser } from "../testing/browser";
import { openTestCustody } from "../testing/custody";
import { newWallet, prove } from "../testing/wallets";

await openTestDatabase();

const COOKIE = "next-auth.session-token";

beforeAll(async () => {
  setSandboxSessionSecret("a session secret for tests, of more than 32 characters");
  await openTestCustody();
});
beforeEach(() => forgetSingleton("limits.limiter")); // all these browsers are one client
afterEach(() => {
  vi.unstubAllEnvs();
  forgetSingleton("config");
});

test.each(["evm", "solana"] as const)(
  "a person with an %s wallet signs in, is recognized by it, and returns to the same account",
  async (chain) => {
    const wallet = newWallet(chain);
    const browser = new TestBrowser();
    expect(await browser.signIn(wallet)).toEqual({ status: 200, error: null });
    const address = chain === "evm" ? wallet.address.toLowerCase() : wallet.address;
    const { user, expires } = await browser.session();
    expect(user).toEqual({ accountId: expect.stringMatching(/^acc_/), wallet: { chain, address } });
    expect(Date.parse(expires ?? "") - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
    const owner = await findOwnerOf(browser.cookies.get(COOKIE) ?? "");
    expect(owner).toMatchObject({ accountId: user?.accountId, wallet: { chain, address }, isFrozen: false });

    const other = new TestBrowser();
    await other.signIn(wallet);
    expect((await other.session()).user?.accountId).toBe(user?.accountId);
    expect(await browser.session()).not.toEqual({});
  },
);

test("signing out ends the session itself, not only the cookie", async () => {
  const browser = new TestBrowser();
  await browser.signIn(newWallet("evm"));
  const token = browser.cookies.get(COOKIE) ?? "";
  expect((await browser.signOut()).status).toBe(200);
  expect(browser.cookies.has(COOKIE)).toBe(false);
  expect(await findOwnerOf(token)).toBeNull();
});

test("signing in again with the same browser ends its previous session", async () => {
  const browser = new TestBrowser();
  await browser.signIn(newWallet("evm"));
  const token = browser.cookies.get(COOKIE) ?? "";
  await browser.signIn(newWallet("solana"));
  expect(await findOwnerOf(token)).toBeNull();
  expect((await browser.session()).user?.wallet.chain).toBe("solana");
});

test("reading the session neither extends nor replaces its cookie", async () => {
  const browser = new TestBrowser();
  await browser.signIn(newWallet("evm"));
  const response = await browser.get("/api/auth/session");
  expect(response.headers.getSetCookie()).toEqual([]);
  expect(response.headers.get("cache-control")).toBe("private, no-store");
});

test("cookies are HttpOnly and SameSite, and with https also Secure and bound to the host", async () => {
  const lines = async () => {
    const browser = new TestBrowser();
    const wallet = newWallet("evm");
    const { csrfToken } = await (await browser.get("/api/auth/csrf")).json();
    const proof = await prove(wallet, await browser.challenge(wallet));
    return (await browser.post("/api/auth/callback/wallet", { ...proof, csrfToken, json: "true" })).headers.getSetCookie();
  };
  const plain = (await lines()).find((line) => line.startsWith(`${COOKIE}=`));
  expect(plain).toMatch(/; Path=\/; Expires=.+; HttpOnly; SameSite=Lax$/);
  vi.stubEnv("PUBLIC_URL", "https://pennyprompt.example");
  forgetSingleton("config");
  const secure = await lines();
  expect(secure.find((line) => line.startsWith(`__Host-${COOKIE}=`))).toMatch(/; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/);
  for (const line of secure) expect(line).toContain("; Secure");
});

test("only our own pages can sign a person in or out", async () => {
  const wallet = newWallet("evm");
  for (const origin of [
    null,
    "null",
    "http://evil.example",
    "http://localhost:3000",
    "http://127.0.0.1:3001",
    "https://127.0.0.1:3000",
    "http://127.0.0.1:3000.evil.example",
  ]) {
    const browser = new TestBrowser(origin);
    expect((await browser.postJson("/api/auth/challenge", wallet)).status, `${origin}`).toBe(403);
    const honest = new TestBrowser();
    const proof = await prove(wallet, await honest.challenge(wallet));
    expect(await browser.submit({ ...proof })).toEqual({ status: 403, error: "wrong_origin" });
    expect(await browser.session()).toEqual({});
    await honest.submit({ ...proof });
    browser.cookies.set(COOKIE, honest.cookies.get(COOKIE) ?? "");
    expect((await browser.signOut()).status).toBe(403);
    expect(await honest.session()).not.toEqual({});
  }
});

test("without next-auth's CSRF token no sign-in or sign-out happens", async () => {
  const browser = new TestBrowser();
  const wallet = newWallet("evm");
  const proof = await prove(wallet, await browser.challenge(wallet));
  for (const csrfToken of ["", "rubbish"]) {
    const response = await browser.post("/api/auth/callback/wallet", { ...proof, csrfToken, json: "true" });
    expect(response.status).toBe(403);
    expect((await response.json()).reason).toBe("csrf");
  }
  await browser.submit({ ...proof });
  expect((await browser.post("/api/auth/signout", { csrfToken: "rubbish", json: "true" })).status).toBe(403);
  expect(await browser.session()).not.toEqual({});
});

test("next-auth's other endpoints are not served, and its pages are ours", async () => {
  const browser = new TestBrowser();
  for (const path of ["", "callback/wallet", "verify-request", "_log", "session/x", "signin/wallet", "error/x", "nothing"]) {
    expect((await browser.get(`/api/auth/${path}`)).status, path).toBe(404);
  }
  for (const path of ["session", "signin", "signin/wallet", "callback/other", "callback/wallet/x", "nothing"]) {
    expect((await browser.post(`/api/auth/${path}`, { json: "true" })).status, path).toBe(404);
  }
  expect((await browser.post("/api/auth/_log", { level: "constructor", code: "x" })).status).toBe(204);
  for (const path of [
    "signin",
    "signout",
    "error",
    "error?error=bad_signature",
    "signin?error=<script>",
    "error?error=%0d%0aset-cookie:x",
    "error?error=%E2%82%AC",
    "error",
  ]) {
    const response = await browser.get(`/api/auth/${path}`);
    expect(response.status, path).toBe(302);
    const target = new URL(response.headers.get("location") ?? "", "http://127.0.0.1:3000");
    expect(target.origin + target.pathname, path).toBe("http://127.0.0.1:3000/connect");
    expect(target.search, path).not.toMatch(/script|cookie|undefined/);
  }
});

test("it never redirects to another site, whatever the request says", async () => {
  const hostile = { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" };
  for (const callbackUrl of [
    "https://evil.example/x",
    "//evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    "http://[",
    "http://127.0.0.1:3000@evil.example/",
  ]) {
    const browser = new TestBrowser(undefined, hostile);
    const wallet = newWallet("evm");
    const proof = await prove(wallet, await browser.challenge(wallet));
    expect(proof.message).toMatch(/^127\.0\.0\.1:3000 wants/);
    const { csrfToken } = await (await browser.get("/api/auth/csrf")).json();
    const response = await browser.post("/api/auth/callback/wallet", { ...proof, csrfToken, callbackUrl });
    expect(response.status, callbackUrl).toBe(302);
    expect(new URL(response.headers.get("location") ?? "").origin).toBe("http://127.0.0.1:3000");
  }
  for (const callbackUrl of ["https://evil.example", "http://[", "rubbish", "javascript:alert(1)"]) {
    const redirected = await new TestBrowser().get(`/api/auth/signin?callbackUrl=${encodeURIComponent(callbackUrl)}`);
    expect(redirected.status).toBe(302);
    expect(redirected.headers.get("location")).toMatch(/^\/connect\?callbackUrl=http%3A%2F%2F127\.0\.0\.1%3A3000/);
  }
  const browser = new TestBrowser();
  browser.cookies.set("next-auth.callback-url", "http%3A%2F%2F[");
  browser.cookies.set("next-auth.csrf-token", "%E0%A4%A");
  expect(await browser.signIn(newWallet("evm"))).toEqual({ status: 200, error: null });
});

test("an unreadable request is refused as unreadable", async () => {
  const browser = new TestBrowser();
  for (const body of ["{", "[]", "null", '"text"', `{"address":"${"x".repeat(70_000)}"}`]) {
    expect((await browser.postJson("/api/auth/callback/wallet", body)).status, body.slice(0, 20)).toBe(400);
    expect((await browser.postJson("/api/auth/challenge", body)).status, body.slice(0, 20)).toBe(400);
  }
  for (const body of [{}, { chain: "evm" }, { chain: "bitcoin", address: "1" }, { chain: "evm", address: "x".repeat(65) }]) {
    expect((await browser.postJson("/api/auth/challenge", body)).status).toBe(400);
  }
  const address = await browser.postJson("/api/auth/challenge", { chain: "evm", address: "0x12" });
  expect([address.status, (await address.json()).reason]).toEqual([400, "address_invalid"]);
  const good = await prove(newWallet("evm"), { nonce: "AAAAAAAAAAAAAAAAAAAAAA", text: "x" });
  expect((await browser.submit({ ...good })).error).toBe("nonce_unknown");
  for (const wrong of [
    { chain: "bitcoin" },
    { nonce: "" },
    { signature: "" },
    { message: "x".repeat(3_000) },
    { signature: `0x${"0".repeat(17_000)}` },
  ]) {
    expect((await browser.submit({ ...good, ...wrong })).error).toBe("invalid_request");
  }
});

test("a database failure is not described to the client", async () => {
  const browser = new TestBrowser();
  const wallet = newWallet("evm");
  const proof = await prove(wallet, await browser.challenge(wallet));
  await pool().query("ALTER TABLE session RENAME TO session_away");
  try {
    expect(await browser.submit({ ...proof })).toEqual({ status: 401, error: "unavailable" });
    browser.cookies.set(COOKIE, "x".repeat(43));
    expect(await browser.session()).toEqual({});
    expect(browser.cookies.has(COOKIE)).toBe(true);
  } finally {
    await pool().query("ALTER TABLE session_away RENAME TO session");
  }
});
