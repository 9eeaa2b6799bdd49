// The account's stream: whose account it sends, how soon after a change, how often it reads, and when it ends.

import { setTimeout as sleep } from "node:timers/promises";
import { NextRequest } from "next/server";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { createKey, setKeyState } from "@/lib/access/keys";
import { endAllSessions, openSession } from "@/lib/access/sessions";
import type { AccountId } from "@/lib/base/ids";
import { forgetSingleton, processSingleton } from "@/lib/base/process-singleton";
import { publicUrl } from "@/lib/base/public-url";
import * as accountView from "@/lib/console/account/account-view";
import { findOwnerOf } from "@/lib/console/owner";
import { sessionCookieName } from "@/lib/console/sign-in/session-cookie";
import type { AccountView } from "@/lib/console/views/account";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { refuseNewRequests } from "@/lib/gateway/http/endpoint";
import { charge, someCharges } from "@/lib/ledger/testing/charges";
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
  return GET(new NextRequest(`${publicUrl()}/account/events?session=${sessionId}`, { headers: all, signal }));
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
  const nextView = async (): Promise<AccountView> => {
    const event = await next();
    if (event === "end" || event.name !== "view") throw new Error(`there is no view: ${JSON.stringify(event)}`);
    return readView(event.data);
  };
  return { response, next, nextView, leave: () => reader.cancel() };
}

/** How many accounts the process reads. */
const followed = (): number => watches().accounts.size;
const watches = processSingleton<{ accounts: Map<AccountId, unknown> }>("account watches", () => ({ accounts: new Map() }));

/** As the page parses it. */
function readView(text: string): AccountView {
  const { available, reserved, ...view } = JSON.parse(text);
  return { ...view, available: BigInt(available), reserved: BigInt(reserved) };
}

/** The names of the marks that differ. */
const changed = ({ marks: before }: AccountView, { marks: after }: AccountView) =>
  Object.entries(after).flatMap(([part, mark]) => (before[part as keyof typeof before] === mark ? [] : [part]));

test("each change is sent within seconds with the balance, and names the part that changed", async () => {
  const page = await signIn();
  const stream = await follow(page);
  expect(stream.response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(stream.response.headers.get("cache-control")).toBe("no-store, no-transform");
  let known = await stream.nextView();
  expect(known).toMatchObject({ available: 0n, reserved: 0n });
  const nextChange = async () => {
    const before = known;
    known = await stream.nextView();
    return changed(before, known);
  };
  const id = await addDeposit({ accountId: page.accountId, usd: "5", block: 100 });
  expect(await nextChange()).toEqual(["deposits"]);
  for (const latest of [101, 102]) {
    await recordHead({ latest, safe: latest - 5, final: 90 });
    expect(await nextChange()).toEqual(["deposits"]); // one more confirmation
  }
  await credit([id]);
  expect(await nextChange()).toEqual(["charges", "deposits"]);
  expect(known.available).toBe(5_000_000_000n);
  const { keyId } = await createKey({ accountId: page.accountId, name: "one" });
  expect(await nextChange()).toEqual(["keys"]);
  await setKeyState(page.accountId, keyId, "paused");
  expect(await nextChange()).toEqual(["keys"]);
  for (const inputTokens of [0, 7]) {
    await charge(
      page.accountId,
      someCharges(1).map((one) => ({ ...one, inputTokens, outputTokens: 0 })),
    );
    expect(await nextChange()).toEqual(["charges"]); // also when it cost nothing
  }
  await reverse(id);
  expect(await nextChange()).toEqual(["charges", "keys", "deposits"]); // some of it was spent: the account is frozen
  expect(known.available).toBe(0n);
  await recordHead({ latest: 100, safe: 95, final: 90 });
});

test("one account's changes send another account nothing", async () => {
  const [one, other] = [await signIn(), await signIn()];
  const [ofOne, ofOther] = [await follow(one), await follow(other)];
  await Promise.all([ofOne.nextView(), ofOther.nextView()]);
  await fund(one.accountId, 5);
  expect((await ofOne.nextView()).available).toBe(5n);
  await fund(other.accountId, 6);
  // The next view of the other account is its own money.
  expect((await ofOther.nextView()).available).toBe(6n);
});

test("however many streams follow it, an account is read once a second", async () => {
  const read = vi.spyOn(accountView, "readAccountViews");
  const page = await signIn();
  const streams = [await follow(page), await follow(page), await follow(await signIn(page.accountId)), await follow(await signIn())];
  await Promise.all(streams.map(({ nextView }) => nextView()));
  read.mockClear();
  await sleep(3_200);
  expect(read.mock.calls.length).toBeLessThanOrEqual(4);
  expect(read.mock.calls.every(([accounts]) => accounts.length === 2)).toBe(true);
  await fund(page.accountId, 3);
  for (const view of await Promise.all(streams.slice(0, 3).map(({ nextView }) => nextView()))) expect(view.available).toBe(3n);
  read.mockRestore();
});

test("an ended session gets `ended` and nothing more, at the next change or within seconds", async () => {
  const accountId = await fundedAccount(0);
  const [page, other] = [await signIn(accountId), await signIn()];
  const [stream, still] = [await follow(page), await follow(other)];
  await Promise.all([stream.nextView(), still.nextView()]);
  await endAllSessions(accountId);
  await fund(accountId, 5);
  expect(await stream.next()).toEqual({ name: "ended", data: "{}" });
  expect(await stream.next()).toBe("end");

  const quiet = await follow(await signIn(accountId));
  await quiet.nextView();
  await endAllSessions(accountId);
  expect(await quiet.next()).toEqual({ name: "ended", data: "{}" }); // without a change, by the periodic check
  await fund(other.accountId, 5);
  expect((await still.nextView()).available).toBe(5n);
});

test("without a sign-in, and to a page of another session, a stream says that it has ended, and JSON is refused", async () => {
  const [page, other] = [await signIn(), await signIn()];
  const json = { accept: "application/json" };
  for (const cookie of ["", `${sessionCookieName()}=forged`]) {
    expect(await (await ask({ ...page, cookie })).text()).toBe("event: ended\ndata: {}\n\n");
    expect((await ask({ ...page, cookie }, json)).status).toBe(401);
  }
  for (const sessionId of [other.sessionId, (await signIn(page.accountId)).sessionId, ""]) {
    expect(await (await ask({ ...page, sessionId })).text()).toBe("event: ended\ndata: {}\n\n");
    const refused = await ask({ ...page, sessionId }, json);
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
  await fund(page.accountId, 1);
  const answer = await ask(page, { accept: "application/json" });
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(readView(await answer.text())).toMatchObject({ available: 1n, reserved: 0n });
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
  await expect.poll(followed).toBe(1);
  leave.abort();
  await stream.leave();
  await expect.poll(followed).toBe(0);
});

test("while the process shuts down, every stream ends and a new one is sent elsewhere", async () => {
  const page = await signIn();
  const stream = await follow(page);
  await stream.nextView();
  refuseNewRequests();
  expect(await stream.next()).toBe("end");
  expect((await ask(page)).status).toBe(503);
  await expect.poll(followed).toBe(0);
});

test("a stream ends when its database fails, so that its page reconnects; meanwhile requests get 503", async () => {
  const page = await signIn();
  const stream = await follow(page);
  await stream.nextView();
  await pool().query("ALTER TABLE session RENAME TO session_away");
  await fund(page.accountId, 5);
  const [end, refused] = [await stream.next(), await ask(page)];
  await pool().query("ALTER TABLE session_away RENAME TO session");
  expect([end, refused.status]).toEqual(["end", 503]);
  const again = await follow(page);
  expect((await again.nextView()).available).toBe(5n);
  await pool().query("ALTER TABLE ledger_account RENAME TO ledger_account_away");
  expect(await again.next()).toBe("end");
  await pool().query("ALTER TABLE ledger_account_away RENAME TO ledger_account");
});
