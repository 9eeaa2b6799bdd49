// The deposit page's stream: whose deposits it sends, how soon after a change, and when it ends.

import { setTimeout as sleep } from "node:timers/promises";
import { NextRequest } from "next/server";
import { afterEach, beforeAll, expect, test } from "vitest";
import { readView } from "@/components/console/deposit/read-view";
import { endAllSessions, openSession } from "@/lib/access/sessions";
import type { AccountId } from "@/lib/base/ids";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { publicUrl } from "@/lib/base/public-url";
import { readDepositView } from "@/lib/console/deposit/deposit";
import { findOwnerOf } from "@/lib/console/owner";
import { sessionCookieName } from "@/lib/console/sign-in/session-cookie";
import type { DepositView } from "@/lib/console/views/deposit";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { refuseNewRequests } from "@/lib/gateway/http/endpoint";
import { credit as fund, fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { addDeposit, credit, openScan, recordHead, reverse } from "@/lib/wallets/deposits/testing/scanned-deposits";
import { GET } from "./route";

await openTestDatabase();
beforeAll(async () => {
  await openFunding();
  await openScan("base", { latest: 100, safe: 95, final: 90 });
});

const wallet = { chain: "evm", address: `0x${"4f".repeat(20)}` } as const;

interface Page {
  accountId: AccountId;
  sessionId: string;
  cookie: string;
}

async function signIn(account?: AccountId): Promise<Page> {
  const accountId = account ?? (await fundedAccount(0));
  const { token } = await openSession({ accountId, wallet, userAgent: "test", clientAddress: "127.0.0.1" });
  const owner = await findOwnerOf(token);
  if (!owner) throw new Error("the session just opened is not there");
  return { accountId, sessionId: owner.sessionId, cookie: `${sessionCookieName()}=${token}` };
}

function ask({ sessionId, cookie }: Pick<Page, "sessionId" | "cookie">, headers: Record<string, string> = {}, signal?: AbortSignal) {
  const all = { cookie, accept: "text/event-stream", "sec-fetch-site": "same-origin", ...headers };
  return GET(new NextRequest(`${publicUrl()}/deposit/events?session=${sessionId}`, { headers: all, signal }));
}

const leaving: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(leaving.splice(0).map((leave) => leave()));
  forgetSingleton("gateway drain");
});

/** A stream being read. `next` waits for one more event. */
async function follow(page: Page) {
  const response = await ask(page);
  expect(response.status).toBe(200);
  const reader = response.body?.getReader();
  if (!reader) throw new Error("the answer has no body");
  leaving.push(() => reader.cancel());
  const decoder = new TextDecoder();
  let text = "";
  const next = async (): Promise<{ name: string; data: string } | "end"> => {
    for (;;) {
      const [, name, data, rest] = /^(?:retry: \d+\n\n|: [^\n]*\n\n)*event: (\w+)\ndata: (.*)\n\n([\s\S]*)$/.exec(text) ?? [];
      if (name !== undefined && data !== undefined) {
        text = rest ?? "";
        return { name, data };
      }
      const { done, value } = await reader.read();
      if (done) return "end";
      text += decoder.decode(value, { stream: true });
    }
  };
  const nextView = async (): Promise<DepositView> => {
    const event = await next();
    if (event === "end" || event.name !== "view") throw new Error(`there is no view: ${JSON.stringify(event)}`);
    return readView(event.data);
  };
  /** The next view for which `isIt` is true. */
  const viewWhere = async (isIt: (view: DepositView) => boolean): Promise<DepositView> => {
    for (;;) {
      const view = await nextView();
      if (isIt(view)) return view;
    }
  };
  return { response, next, nextView, viewWhere, leave: () => reader.cancel() };
}

async function listeners(): Promise<number> {
  const { rows } = await pool().query(
    "SELECT 1 FROM pg_stat_activity WHERE application_name = 'pennyprompt listen' AND datname = current_database()",
  );
  return rows.length;
}

const firstOf = ({ deposits: [first] }: DepositView) => first;

test("a deposit is pushed as it is seen, confirming, credited and reversed, with the balance, without any request", async () => {
  const page = await signIn();
  const stream = await follow(page);
  expect(stream.response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(stream.response.headers.get("cache-control")).toBe("no-store, no-transform");
  expect(await stream.nextView()).toMatchObject({ available: 0n, deposits: [] });
  const id = await addDeposit({ accountId: page.accountId, usd: "5", block: 100 });
  expect(firstOf(await stream.nextView())).toMatchObject({ id, state: "seen", amount: 5_000_000_000n, confirmations: 1 });
  await recordHead({ latest: 101, safe: 96, final: 90 });
  expect(firstOf(await stream.nextView())).toMatchObject({ state: "confirming", confirmations: 2, neededConfirmations: 6 });
  await recordHead({ latest: 102, safe: 97, final: 90 });
  expect(firstOf(await stream.nextView())).toMatchObject({ state: "confirming", confirmations: 3 });
  await credit([id]);
  const credited = await stream.nextView();
  expect(credited).toMatchObject({ available: 5_000_000_000n, deposits: [{ state: "credited", isFinal: false }] });
  expect(credited).toEqual({ ...(await readDepositView(page.accountId)), readAtMs: credited.readAtMs, ...shown(credited) });
  await reverse(id);
  expect(await stream.viewWhere((view) => firstOf(view)?.state === "reversed")).toMatchObject({ available: 0n });
  await recordHead({ latest: 100, safe: 95, final: 90 });
});

/** The view as the page parses it: with Dates where it shows times. */
const shown = ({ deposits }: DepositView) => ({
  deposits: deposits.map((row) => expect.objectContaining({ id: row.id, seenAt: row.seenAt })),
});

test("two accounts never see each other's deposits, and one account's changes send the other nothing", async () => {
  const [one, other] = [await signIn(), await signIn()];
  const [ofOne, ofOther] = [await follow(one), await follow(other)];
  await Promise.all([ofOne.nextView(), ofOther.nextView()]);
  const mine = await addDeposit({ accountId: one.accountId, usd: "5", block: 100 });
  expect((await ofOne.nextView()).deposits.map(({ id }) => id)).toEqual([mine]);
  const theirs = await addDeposit({ accountId: other.accountId, usd: "6", block: 100 });
  // The next view of the other account is its own deposit.
  expect((await ofOther.nextView()).deposits.map(({ id }) => id)).toEqual([theirs]);
});

test("every page of one account gets the change, with a balance that changed meanwhile", async () => {
  const page = await signIn();
  const streams = [await follow(page), await follow(page), await follow(await signIn(page.accountId))];
  await Promise.all(streams.map(({ nextView }) => nextView()));
  await fund(page.accountId, 3_000_000_000);
  await addDeposit({ accountId: page.accountId, usd: "5", block: 100 });
  for (const view of await Promise.all(streams.map(({ nextView }) => nextView()))) {
    expect(view).toMatchObject({ available: 3_000_000_000n, deposits: [{ state: "seen" }] });
  }
});

test("an ended session gets `ended` and nothing more, at the next change or within seconds", async () => {
  const accountId = await fundedAccount(0);
  const [page, other] = [await signIn(accountId), await signIn()];
  const [stream, still] = [await follow(page), await follow(other)];
  await Promise.all([stream.nextView(), still.nextView()]);
  await endAllSessions(accountId);
  await addDeposit({ accountId, usd: "5", block: 100 });
  expect(await stream.next()).toEqual({ name: "ended", data: "{}" });
  expect(await stream.next()).toBe("end");

  const quiet = await follow(await signIn(accountId));
  await quiet.nextView();
  await endAllSessions(accountId);
  expect(await quiet.next()).toEqual({ name: "ended", data: "{}" }); // without a change, by the periodic check
  await addDeposit({ accountId: other.accountId, usd: "5", block: 100 });
  expect((await still.nextView()).deposits).toHaveLength(1);
});

test("it is refused without a sign-in, and to a page of another session", async () => {
  const [page, other] = [await signIn(), await signIn()];
  expect((await ask({ ...page, cookie: "" })).status).toBe(401);
  expect((await ask({ ...page, cookie: `${sessionCookieName()}=forged` })).status).toBe(401);
  for (const sessionId of [other.sessionId, (await signIn(page.accountId)).sessionId, ""]) {
    const refused = await ask({ ...page, sessionId });
    expect({ status: refused.status, ...(await refused.json()) }).toMatchObject({ status: 403, reason: "stale_page" });
  }
});

test.each<Record<string, string>>([
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "same-site" },
  { "sec-fetch-site": "none" },
  { origin: "https://evil.example" },
  { origin: "null" },
])("it is refused to other sites' pages: %o", async (headers) => {
  const refused = await ask(await signIn(), headers);
  expect({ status: refused.status, ...(await refused.json()) }).toMatchObject({ status: 403, reason: "foreign_origin" });
});

test("a page without a stream gets the same data once, as JSON, under the same conditions", async () => {
  const page = await signIn();
  await addDeposit({ accountId: page.accountId, usd: "0.000001", block: 100 });
  const answer = await ask(page, { accept: "application/json" });
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(readView(await answer.text())).toMatchObject({ deposits: [{ amount: 1_000n, seenAt: expect.any(Date), creditedAt: null }] });
  expect((await ask({ ...page, cookie: "" }, { accept: "application/json" })).status).toBe(401);
});

test("an account's streams are limited; closing one frees its slot", async () => {
  const page = await signIn();
  const streams = await Promise.all(Array.from({ length: 8 }, () => follow(page)));
  expect((await ask(page)).status).toBe(429);
  expect((await follow(await signIn())).response.status).toBe(200);
  await streams[3]?.leave();
  await follow(page);
  expect((await ask(page)).status).toBe(429);
});

test("a disconnected stream, read or unread, leaves nothing behind", async () => {
  const page = await signIn();
  const leave = new AbortController();
  await ask(page, {}, leave.signal); // it is never read
  const stream = await follow(page);
  await stream.nextView();
  await expect.poll(listeners).toBe(1);
  leave.abort();
  await stream.leave();
  await expect.poll(listeners).toBe(0);
});

test("while the process shuts down, every stream ends and a new one is sent elsewhere", async () => {
  const page = await signIn();
  const stream = await follow(page);
  await stream.nextView();
  refuseNewRequests();
  expect(await stream.next()).toBe("end");
  expect((await ask(page)).status).toBe(503);
  await expect.poll(listeners).toBe(0);
});

test("a change while the database connection is down is sent once it is up again", async () => {
  const page = await signIn();
  const stream = await follow(page);
  await stream.nextView();
  await pool().query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pennyprompt listen' AND datname = current_database()",
  );
  await addDeposit({ accountId: page.accountId, usd: "5", block: 100 });
  expect((await stream.nextView()).deposits).toHaveLength(1);
});

test("a stream ends when its database fails, so that its page reconnects; meanwhile requests get 503", async () => {
  const page = await signIn();
  const stream = await follow(page);
  await stream.nextView();
  await pool().query("ALTER TABLE session RENAME TO session_away");
  await addDeposit({ accountId: page.accountId, usd: "5", block: 100 });
  const [end, refused] = [await stream.next(), await ask(page)];
  await pool().query("ALTER TABLE session_away RENAME TO session");
  expect([end, refused.status]).toEqual(["end", 503]);
  expect((await (await follow(page)).nextView()).deposits).toHaveLength(1);
});

test("a hundred changes at once send a few views, and the last one is the current state", async () => {
  const page = await signIn();
  const stream = await follow(page);
  await stream.nextView();
  await Promise.all(Array.from({ length: 100 }, () => addDeposit({ accountId: page.accountId, usd: "0.5", block: 100 })));
  await sleep(500);
  let views = 1;
  await stream.viewWhere(({ older }) => {
    views += 1;
    return older !== null;
  });
  expect(views).toBeLessThan(8);
});
