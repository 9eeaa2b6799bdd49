// Deposits through both HTTP servers: only the account's own, each in its state, page by page; and the addresses to pay to.

import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { openTestCustody } from "@/lib/console/testing/custody";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { openWallet } from "@/lib/wallets/custody/custodial-wallet";
import { addDeposit, credit, openScan, recordHead, reverse } from "@/lib/wallets/deposits/testing/scanned-deposits";
import { openAccount } from "./testing/accounts";
import { ask, expectCommonHeaders, readError } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService();
const head = { latest: 100, safe: 95, final: 90 };
beforeAll(async () => {
  await openTestCustody();
  await openScan("base", head);
  await openScan("solana", head);
});

let restoreClock = (): void => undefined;
afterEach(() => restoreClock());

interface Row {
  id: string;
  chain: string;
  state: string;
  amount: number;
  transaction: string;
  [field: string]: unknown;
}

const anInstant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);
  const get = (key: string | undefined, query = "") => ask({ url, key, path: `/api/v1/deposits${query}`, method: "GET" });

  async function read(key: string, query = ""): Promise<{ rows: Row[]; nextCursor: string | null }> {
    const answer = await get(key, query);
    expect(answer.status, answer.text).toBe(200);
    expectCommonHeaders(answer.headers, answer.headers.get("x-request-id") ?? "");
    return JSON.parse(answer.text);
  }

  /** Adds deposits seen one after the other. */
  async function addSome(accountId: AccountId, count: number): Promise<string[]> {
    const ids: string[] = [];
    const startMs = Date.now();
    for (let index = 0; index < count; index++) {
      restoreClock();
      restoreClock = setClock(() => startMs + 1_000 * Math.floor(index / 2)); // two share the same instant
      ids.push(await addDeposit({ accountId, usd: `${index + 1}`, block: 100 }));
    }
    restoreClock();
    return ids;
  }

  test("each state shows the deposit's progress, exact to the base unit", async () => {
    const { key, accountId } = await openAccount({ usd: "0" });
    const seen = await addDeposit({ accountId, usd: "1.000001", block: 100 });
    const confirming = await addDeposit({ accountId, usd: "2", block: 98, chain: "solana" });
    const credited = await addDeposit({ accountId, usd: "3.5", block: 95 });
    const reversed = await addDeposit({ accountId, usd: "4", block: 94 });
    await credit([credited, reversed]);
    const small = await addDeposit({ accountId, usd: "0.4", block: 93 });
    await credit([small]);
    await reverse(reversed);
    await recordHead({ ...head, latest: 101 }, "solana");
    const { rows } = await read(key);
    const found = new Map(rows.map((row) => [row.id, row]));
    const common = { address: `address of ${accountId}`, transactionUrl: null, seenAt: anInstant, isFinal: false, reversedAt: null };
    expect(found.get(seen)).toEqual({
      ...common,
      id: seen,
      chain: "base",
      state: "seen",
      amount: 1.000001,
      transaction: seen.slice("base_".length),
      block: 100,
      confirmations: 1,
      neededConfirmations: 6,
      creditedAt: null,
    });
    expect(found.get(confirming)).toMatchObject({ chain: "solana", state: "confirming", confirmations: 4, neededConfirmations: 7 });
    expect(found.get(credited)).toMatchObject({ state: "credited", amount: 3.5, confirmations: 6, creditedAt: anInstant });
    expect(found.get(small)).toMatchObject({ state: "below_minimum", amount: 0.4, creditedAt: null });
    expect(found.get(reversed)).toMatchObject({ state: "reversed", confirmations: 0, reversedAt: anInstant });
    expect(rows).toHaveLength(5);
    await recordHead(head, "solana");
    const balance = await ask({ url, key, path: "/api/v1/balance", method: "GET" });
    expect(JSON.parse(balance.text)).toMatchObject({ balance: 3.5, available: 3.5 });
  });

  test("a key sees only its own account's deposits, and another account's cursor is refused", async () => {
    const [one, other] = [await openAccount(), await openAccount()];
    const mine = await addSome(one.accountId, 3);
    const theirs = await addSome(other.accountId, 3);
    expect((await read(one.key)).rows.map(({ id }) => id).sort()).toEqual([...mine].sort());
    const page = await read(other.key, "?limit=2");
    expect(page.rows.every(({ id }) => theirs.includes(id))).toBe(true);
    readError(await get(one.key, `?cursor=${page.nextCursor}`), "INVALID_REQUEST");
  });

  test("pages hold every deposit once, newest first, even when new ones arrive in between", async () => {
    const { key, accountId } = await openAccount();
    const ids = await addSome(accountId, 7);
    const rows: Row[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof read>> = await read(key, `?limit=2${cursor ? `&cursor=${cursor}` : ""}`);
      rows.push(...page.rows);
      cursor = page.nextCursor;
      restoreClock = setClock(() => Date.now() + 60_000);
      await addDeposit({ accountId, usd: "9", block: 100 });
      restoreClock();
    } while (cursor);
    expect(rows.map(({ id }) => id).sort()).toEqual([...ids].sort());
    const times = rows.map(({ seenAt }) => Date.parse(String(seenAt)));
    expect(times).toEqual([...times].sort((a, b) => b - a));
    expect((await read(key, "?limit=1000")).nextCursor).toBeNull();
  });

  test("an account without deposits gets an empty page", async () => {
    expect(await read((await openAccount()).key)).toEqual({ rows: [], nextCursor: null });
  });

  test.each(["limit=0", "limit=1001", "limit=ten", "cursor=x", "cursor=", "cursor=eyJvZiI6IngifQ", "page=2", "limit=1&limit=2"])(
    "%s is refused, and the parameter is named",
    async (query) => {
      const { key } = await openAccount();
      const { details } = readError(await get(key, `?${query}`), "INVALID_REQUEST");
      expect(details).toMatchObject({ issues: [{ path: /^\w+/.exec(query)?.[0] }] });
    },
  );

  test("it needs a key, and accepts only GET", async () => {
    readError(await get(undefined), "INVALID_API_KEY");
    const { key } = await openAccount();
    readError(await ask({ url, key, path: "/api/v1/deposits", method: "POST" }), "METHOD_NOT_ALLOWED");
  });

  test("the balance shows the account's own addresses once it has some", async () => {
    const { key, accountId } = await openAccount({ usd: "5" });
    const readWallet = async () => {
      const { text } = await ask({ url, key, path: "/api/v1/balance", method: "GET" });
      return (JSON.parse(text) as { wallet: unknown }).wallet;
    };
    expect(await readWallet()).toBeNull();
    const wallet = await inTransaction((transaction) => openWallet(accountId, transaction));
    expect(await readWallet()).toEqual({ base: wallet.baseAddress, solana: wallet.solanaAddress });
    expect(await readWallet()).toEqual({ base: wallet.baseAddress, solana: wallet.solanaAddress });
    forgetSingleton("wallets that were checked");
    expect(await readWallet()).toEqual({ base: wallet.baseAddress, solana: wallet.solanaAddress });
  });

  test("addresses forged in the database are never shown", async () => {
    const { key, accountId } = await openAccount();
    await inTransaction((transaction) => openWallet(accountId, transaction));
    const forged = `0x${"66".repeat(20)}`;
    await pool().query("UPDATE custodial_wallet SET base_address = $2 WHERE account_id = $1", [accountId, forged]);
    const answer = await ask({ url, key, path: "/api/v1/balance", method: "GET" });
    expect(readError(answer, "INTERNAL_ERROR").details).toMatchObject({ retryable: true });
    expect(answer.text).not.toContain(forged);
    await pool().query("DELETE FROM custodial_wallet WHERE account_id = $1", [accountId]);
  });
});
