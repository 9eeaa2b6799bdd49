import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { setSandboxSessionSecret } from "@/lib/access/session-secret";
import { setClock } from "@/lib/base/clock";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { findOwnerOf } from "../owner";
import { TestBrowser } from "../testing/browser";
import { openTestCustody } from "../testing/custody";
import { newWallet, prove } from "../testing/wallets";
import { proveJoin, startLink } from "./link-wallet";

await openTestDatabase();

const COOKIE = "next-auth.session-token";

beforeAll(async () => {
  setSandboxSessionSecret("a session secret for tests, of more than 32 characters");
  await openTestCustody();
});
beforeEach(() => forgetSingleton("limits.limiter")); // all these browsers are one client
let restore: () => void = () => {};
afterEach(() => {
  restore();
  vi.unstubAllEnvs();
  forgetSingleton("config");
});

const countAccounts = async () => (await pool().query("SELECT 1 FROM account")).rowCount;

/** Signs in with a changed proof, and returns the reason of the refusal. */
async function attempt(change: (text: string) => string, chain: "evm" | "solana" = "evm"): Promise<string | null> {
  const [browser, wallet] = [new TestBrowser(), newWallet(chain)];
  const challenge = await browser.challenge(wallet);
  const message = change(challenge.text);
  const { status, error } = await browser.submit({ ...(await prove(wallet, challenge)), message, signature: await wallet.sign(message) });
  expect(status).toBe(error === null ? 200 : 401);
  expect(await browser.session()).toEqual({});
  return error;
}

test("a signed text works once, even when used twice at the same instant", async () => {
  const wallet = newWallet("evm");
  const browser = new TestBrowser();
  const proof = await prove(wallet, await browser.challenge(wallet));
  expect(await browser.submit({ ...proof })).toEqual({ status: 200, error: null });
  expect(await new TestBrowser().submit({ ...proof })).toEqual({ status: 401, error: "nonce_unknown" });

  const other = { ...(await prove(wallet, await browser.challenge(wallet))) };
  const results = await Promise.all(Array.from({ length: 8 }, () => new TestBrowser().submit(other)));
  expect(results.filter(({ error }) => error === null)).toHaveLength(1);
  expect(results.filter(({ error }) => error === "nonce_unknown")).toHaveLength(7);
});

test("a refused attempt uses the challenge up, too", async () => {
  const wallet = newWallet("solana");
  const browser = new TestBrowser();
  const proof = await prove(wallet, await browser.challenge(wallet));
  expect((await browser.submit({ ...proof, signature: await newWallet("solana").sign(proof.message) })).error).toBe("bad_signature");
  expect((await browser.submit({ ...proof })).error).toBe("nonce_unknown");
});

test.each(["evm", "solana"] as const)("a text changed before it was signed is refused, naming the changed field (%s)", async (chain) => {
  const before = await countAccounts();
  const attack = (change: (text: string) => string) => attempt(change, chain);
  expect(await attack((text) => text.replace("127.0.0.1:3000 wants", "evil.example wants"))).toBe("message_changed:domain");
  expect(await attack((text) => text.replace("URI: http://127.0.0.1:3000", "URI: http://evil.example"))).toBe("message_changed:uri");
  expect(await attack((text) => text.replace(/Chain ID: .+/, "Chain ID: 1"))).toBe("message_changed:chain_id");
  expect(await attack((text) => text.replace(/Nonce: .+/, "Nonce: AAAAAAAAAAAAAAAAAAAAAA"))).toBe("message_changed:nonce");
  expect(await attack((text) => text.replace(/Expiration Time: 20/, "Expiration Time: 21"))).toBe("message_changed:expiry");
  expect(await attack((text) => text.replace("moves no money", "moves some money"))).toBe("message_changed:text");
  expect(await attack((text) => `${text}\n`)).toBe("message_changed:text");
  expect(await countAccounts()).toBe(before);
});

test("a challenge that is five minutes old is refused", async () => {
  const wallet = newWallet("evm");
  const browser = new TestBrowser();
  const start = Date.UTC(2030, 0, 1);
  for (const [age, expected] of [
    [299_999, null],
    [300_000, "expired"],
  ] as const) {
    restore = setClock(() => start);
    const proof = await prove(wallet, await browser.challenge(wallet));
    restore();
    restore = setClock(() => start + age);
    expect((await browser.submit({ ...proof })).error).toBe(expected);
    restore();
  }
});

test("one wallet's signature does not sign another one in", async () => {
  const [victim, thief] = [newWallet("evm"), newWallet("evm")];
  const browser = new TestBrowser();
  const forVictim = await browser.challenge(victim);
  const signature = await thief.sign(forVictim.text);
  expect((await browser.submit({ ...(await prove(victim, forVictim)), signature })).error).toBe("bad_signature");
  // The thief's own challenge under the victim's name, and the victim's under the thief's.
  expect((await browser.submit({ ...(await prove(thief, await browser.challenge(thief))), address: victim.address })).error).toBe(
    "message_changed:address",
  );
  const renamed = await browser.challenge(victim);
  expect((await browser.submit({ ...(await prove(thief, renamed)) })).error).toBe("message_changed:address");
  expect((await browser.submit({ ...(await prove(thief, await browser.challenge(thief))), chain: "solana" })).error).toBe(
    "message_changed:address",
  );
  expect(await browser.session()).toEqual({});
});

test("a text for another purpose does not sign in", async () => {
  const [wallet, other] = [newWallet("evm"), newWallet("solana")];
  const browser = new TestBrowser();
  await browser.signIn(wallet);
  const owner = await findOwnerOf(browser.cookies.get(COOKIE) ?? "");
  if (!owner) throw new Error("not signed in");
  const start = async () => {
    const link = await startLink(owner, other);
    if (!link.ok) throw new Error(link.reason);
    return prove(other, link.join);
  };
  const joined = await proveJoin(owner, { join: await start(), allow: wallet });
  if (!joined.ok) throw new Error(joined.reason);
  for (const proof of [await prove(wallet, joined.allow), await start()]) {
    expect((await new TestBrowser().submit({ ...proof })).error).toBe("nonce_unknown");
  }
});

test("a forged, unknown, expired or revoked session has no owner", async () => {
  const browser = new TestBrowser();
  const wallet = newWallet("evm");
  const start = Date.UTC(2030, 0, 1);
  restore = setClock(() => start);
  await browser.signIn(wallet);
  const token = browser.cookies.get(COOKIE) ?? "";
  for (const forged of [
    `${token.slice(0, -1)}${token.endsWith("A") ? "E" : "A"}`,
    "rubbish",
    "",
    "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhY2NfMSJ9.",
    "a".repeat(10_000),
    `${token}%00`,
  ]) {
    browser.cookies.set(COOKIE, forged);
    expect(await browser.session(), forged).toEqual({});
  }
  browser.cookies.set(COOKIE, token);
  restore();
  restore = setClock(() => start + 7 * 86_400_000);
  expect(await browser.session()).toEqual({});
  restore();
  restore = setClock(() => start + 1);
  expect(await browser.session()).toMatchObject({
    user: { wallet: { chain: "evm" } },
    expires: new Date(start + 7 * 86_400_000).toISOString(),
  });
  await pool().query("DELETE FROM session WHERE chain = 'evm' AND address = $1", [wallet.address.toLowerCase()]);
  expect(await browser.session()).toEqual({});
});
