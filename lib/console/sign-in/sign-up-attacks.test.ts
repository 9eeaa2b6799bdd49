// Attacks by accounts without end: each takes deposit addresses, and costs its owner nothing.

import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { setSandboxSessionSecret } from "@/lib/access/session-secret";
import { areSignUpsUsual, deleteOldSignUps } from "@/lib/access/sign-ups";
import { nowMs, setClock } from "@/lib/base/clock";
import { metrics } from "@/lib/base/observe/metrics";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { publicUrl } from "@/lib/base/public-url";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { findWallet } from "@/lib/wallets/custody/custodial-wallet";
import { readWatchedAddresses } from "@/lib/wallets/deposits/addresses";
import { readSolanaAddresses } from "@/lib/wallets/deposits/solana-cursor";
import { refusalTextOf } from "../refusals";
import { TestBrowser } from "../testing/browser";
import { openTestCustody } from "../testing/custody";
import { newWallet, prove, type TestWallet } from "../testing/wallets";
import { signIn, startSignIn } from "./sign-in";

await openTestDatabase();

const HOUR_MS = 3_600_000;
let restoreClock = () => {};

beforeAll(async () => {
  setSandboxSessionSecret("a session secret for tests, of more than 32 characters");
  await openTestCustody();
});
beforeEach(() => {
  vi.stubEnv("SIGN_UPS_PER_NETWORK_A_DAY", "3");
  forgetAll();
});
afterEach(async () => {
  restoreClock();
  restoreClock = () => {};
  vi.unstubAllEnvs();
  forgetAll();
  await pool().query("DELETE FROM sign_up");
});

function forgetAll(): void {
  for (const name of ["config", "trustedProxies", "limits.limiter", "sign-up rate"]) forgetSingleton(name);
}

const rowsOf = async (table: string): Promise<number> => (await pool().query(`SELECT 1 FROM ${table}`)).rowCount ?? 0;

async function signInFrom(clientAddress: string, wallet: TestWallet = newWallet("evm")) {
  const started = await startSignIn(wallet, clientAddress);
  if (!started.ok) throw new Error(started.reason);
  return signIn(await prove(wallet, started.challenge), { userAgent: "", clientAddress });
}

test.each([
  ["an IPv4 address", ["192.0.2.1", "192.0.2.1", "::ffff:192.0.2.1", "192.0.2.1"], "192.0.2.2"],
  ["an IPv6 /48", ["2001:db8:7:1::1", "2001:db8:7:2::1", "2001:db8:7::1", "2001:db8:7:ffff::1"], "2001:db8:8::1"],
])("%s opens only its accounts of a day, takes no address with more, and leaves the others alone", async (_network, addresses, other) => {
  const known = newWallet("solana");
  expect(await signInFrom(addresses[0] ?? "", known)).toMatchObject({ ok: true });
  for (const address of addresses.slice(1, 3)) expect(await signInFrom(address.replace("::ffff:", ""))).toMatchObject({ ok: true });
  const before = [await rowsOf("account"), await rowsOf("address_pool"), await rowsOf("custodial_wallet")];
  const refused = await signInFrom(addresses[3] ?? "");
  expect(refused).toEqual({ ok: false, reason: "too_many_accounts", retryAfterMs: expect.any(Number) });
  if (refused.ok || refused.reason !== "too_many_accounts") throw new Error("it was refused");
  expect(refused.retryAfterMs).toBeGreaterThan(23 * HOUR_MS);
  expect([await rowsOf("account"), await rowsOf("address_pool"), await rowsOf("custodial_wallet")]).toEqual(before);
  // Who has an account signs in from there as ever, and another network opens its own.
  expect(await signInFrom(addresses[3] ?? "", known)).toMatchObject({ ok: true });
  expect(await signInFrom(other)).toMatchObject({ ok: true });
  const start = nowMs();
  restoreClock = setClock(() => start + 24 * HOUR_MS);
  expect(await signInFrom(addresses[3] ?? "")).toMatchObject({ ok: true });
  // Networks are forgotten after a day, also when nobody signs up any more.
  await deleteOldSignUps();
  expect(await rowsOf("sign_up")).toBe(1);
});

test("ten sign-ups at the same moment are no more than the quota", async () => {
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => signInFrom("192.0.2.9")));
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(3);
  expect(await rowsOf("sign_up")).toBe(3);
});

test("a browser gets 429, when it may try again, and a sentence to show", async () => {
  vi.stubEnv("TRUSTED_PROXIES", "loopback");
  vi.stubEnv("SIGN_UPS_PER_NETWORK_A_DAY", "1");
  forgetAll();
  const browser = () => new TestBrowser(publicUrl(), { "x-forwarded-for": "192.0.2.20" });
  expect(await browser().signIn(newWallet("evm"))).toEqual({ status: 200, error: null });
  const [next, wallet] = [browser(), newWallet("evm")];
  const proof = await prove(wallet, await next.challenge(wallet));
  const { csrfToken } = (await (await next.get("/api/auth/csrf")).json()) as { csrfToken: string };
  const answer = await next.post("/api/auth/callback/wallet", { ...proof, csrfToken, callbackUrl: "/overview", json: "true" });
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(23 * 3_600);
  const error = new URL(((await answer.json()) as { url: string }).url).searchParams.get("error") ?? "";
  expect(error).toBe("too_many_accounts");
  expect(refusalTextOf(error)).toMatch(/^Too many new accounts were opened from your network.*Existing accounts still sign in/);
});

test("sign-ups from very many networks keep nobody out, and are an alarm", async () => {
  vi.stubEnv("SIGN_UP_ALARM_PER_HOUR", "4");
  forgetAll();
  const start = nowMs();
  let time = start;
  restoreClock = setClock(() => time);
  for (let network = 1; network <= 4; network++) await signInFrom(`198.51.100.${network}`);
  time += 10_000;
  expect(await areSignUpsUsual()).toBe(true);
  expect(await signInFrom("198.51.100.5")).toMatchObject({ ok: true });
  time += 10_000;
  expect(await areSignUpsUsual()).toBe(false);
  expect((await metrics().signUpsInAnHour.get()).values[0]?.value).toBe(5);
  expect(await signInFrom("198.51.100.6")).toMatchObject({ ok: true });
  time += HOUR_MS;
  expect(await areSignUpsUsual()).toBe(true);
});

test("addresses that nobody was shown are not watched; those that were shown once are, for ever", async () => {
  const watched = async () => [(await readWatchedAddresses()).size, (await readSolanaAddresses()).size];
  const [base = 0, solana = 0] = await watched();
  const opened = await signInFrom("203.0.113.1");
  await signInFrom("203.0.113.2");
  if (!opened.ok) throw new Error(opened.reason);
  expect(await watched()).toEqual([base, solana]);
  const wallet = await findWallet(opened.accountId);
  expect(await watched()).toEqual([base + 1, solana + 1]);
  expect((await readWatchedAddresses()).get(wallet?.baseAddress.toLowerCase() as `0x${string}`)).toMatchObject({
    accountId: opened.accountId,
  });
  const { rows } = await pool().query("SELECT shown_at FROM custodial_wallet WHERE account_id = $1", [opened.accountId]);
  await findWallet(opened.accountId);
  expect((await pool().query("SELECT shown_at FROM custodial_wallet WHERE account_id = $1", [opened.accountId])).rows).toEqual(rows);
});
