// The export endpoint: whose rows it returns, and its answer when it cannot return any.

import { NextRequest } from "next/server";
import { beforeAll, expect, test } from "vitest";
import { openSession } from "@/lib/access/sessions";
import { sessionCookieName } from "@/lib/console/sign-in/session-cookie";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { charge, someCharges } from "@/lib/ledger/testing/charges";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { GET } from "./route";

await openTestDatabase();
beforeAll(openFunding);

const address = "http://127.0.0.1:3000/usage/export?from=2026-02-27&to=2026-03-02";
const wallet = { chain: "evm", address: `0x${"4f".repeat(20)}` } as const;

async function openOwner(charges: number): Promise<string> {
  const accountId = await fundedAccount(10_000_000);
  await charge(accountId, someCharges(charges));
  const { token } = await openSession({ accountId, wallet, userAgent: "test", clientAddress: "127.0.0.1" });
  return `${sessionCookieName()}=${token}`;
}

const ask = (cookie: string) => GET(new NextRequest(address, { headers: { cookie } }));

test("the owner gets all of their own rows, and a signed-out browser gets none", async () => {
  const [cookie] = [await openOwner(3), await openOwner(2)];
  const response = await ask(cookie);
  expect(response.headers.get("content-type")).toMatch(/^text\/csv/);
  expect((await response.text()).trimEnd().split("\r\n")).toHaveLength(1 + 3);
  expect((await ask("")).status).toBe(401);
});

test("when the owner cannot be looked up it answers 503, not an empty file", async () => {
  const cookie = await openOwner(1);
  await pool().query("ALTER TABLE session RENAME TO session_away");
  const response = await ask(cookie).finally(() => pool().query("ALTER TABLE session_away RENAME TO session"));
  expect({ status: response.status, ...(await response.json()) }).toMatchObject({
    status: 503,
    reason: "unavailable",
    error: expect.stringMatching(/^Your session cannot be checked .+\.$/),
  });
});
