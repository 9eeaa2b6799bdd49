// The playground's endpoints against attackers, and its answers against the API's: both charge the same way.

import { beforeAll, describe, expect, test } from "vitest";
import { sessionCookieName } from "@/lib/console/sign-in/session-cookie";
import { pool } from "@/lib/db/pool";
import { openAccount } from "@/lib/gateway/contract/testing/accounts";
import { awaitCharge, balanceOf, chargesOf, expectPaid, expectUncharged } from "@/lib/gateway/contract/testing/books";
import { ask, deltaText, misbehaving, open, promptOf, readCosts, readEvents, readPromptBody } from "@/lib/gateway/contract/testing/client";
import { entryNames, openService, PUBLIC_URL } from "@/lib/gateway/contract/testing/service";
import { openPlayground, routes, settings } from "./testing";

const service = await openService({ env: settings });
const playground = openPlayground(service);
const { signIn, send, sendTo } = playground;

describe.each(entryNames)("through the %s entry", (name) => {
  beforeAll(() => playground.use(name));

  describe.each(["answer", "quote"] as const)("the %s handler", (to) => {
    test("accepts only POST", () => {
      expect(Object.keys(routes[to]).filter((name) => /^[A-Z]+$/.test(name))).toEqual(["POST"]);
    });

    test("answers 401 without a session, or after it has ended", async () => {
      const account = await openAccount();
      const { cookie: _, ...headers } = await signIn(account);
      expect((await send(headers, { to })).status).toBe(401);
      expect((await send({ ...headers, cookie: `${sessionCookieName()}=forged` }, { to })).status).toBe(401);
      expect((await send({ ...headers, authorization: `Bearer ${account.key}` }, { to })).status).toBe(401);
      const signedIn = await signIn(account);
      await pool().query("DELETE FROM session WHERE account_id = $1", [account.accountId]);
      expect((await send(signedIn, { to })).status).toBe(401);
      await expectUncharged(account);
    });

    test("refuses a body that was still coming in when its session ended, or its wallet began to leave", async () => {
      const account = await openAccount();
      const sendSlowly = async (meanwhile: string) => {
        const headers = await signIn(account);
        const body = new TransformStream<Uint8Array, Uint8Array>();
        const writer = body.writable.getWriter();
        const [first, rest] = [JSON.stringify(promptOf()).slice(0, 5), JSON.stringify(promptOf()).slice(5)];
        const answer = sendTo(to, headers, { body: body.readable });
        await writer.write(Buffer.from(first)); // which is over once it is read
        await pool().query(meanwhile, [account.accountId]);
        await writer.write(Buffer.from(rest));
        await writer.close();
        const response = await answer;
        return { status: response.status, ...(await response.json()) };
      };
      const leave = `INSERT INTO identity (chain, address, account_id, linked_at, is_first, leaves_at)
        VALUES ('evm', '0x${"4f".repeat(20)}', $1, now(), true, now() + interval '1 day')`;
      expect(await sendSlowly(leave)).toMatchObject({ status: 403, reason: "leaving" });
      expect((await send(await signIn(account), { to })).status).toBe(403);
      await pool().query("DELETE FROM identity WHERE account_id = $1", [account.accountId]);
      const end = "UPDATE session SET ended_at = now(), end_reason = 'ended' WHERE account_id = $1";
      expect(await sendSlowly(end)).toMatchObject({ status: 401, reason: "signed_out" });
      await expectUncharged(account);
    });

    test.each(["https://evil.example", "null", `${PUBLIC_URL}.evil.example`, "http://penny.example", ""])(
      "refuses a page of another origin: %o",
      async (origin) => {
        const account = await openAccount();
        const response = await send({ ...(await signIn(account)), origin }, { to });
        expect({ status: response.status, ...(await response.json()) }).toMatchObject({ status: 403, reason: "foreign_origin" });
        await expectUncharged(account);
      },
    );

    test("answers 503, not an empty answer, when the owner cannot be looked up", async () => {
      const account = await openAccount();
      const headers = await signIn(account);
      await pool().query("ALTER TABLE session RENAME TO session_away");
      const response = await send(headers, { to }).finally(() => pool().query("ALTER TABLE session_away RENAME TO session"));
      expect({ status: response.status, ...(await response.json()) }).toMatchObject({
        status: 503,
        reason: "unavailable",
        error: expect.stringMatching(/^Your session cannot be checked /),
      });
      await expectUncharged(account);
    });

    test("refuses a request without its session's CSRF token", async () => {
      const [account, other] = [await openAccount(), await openAccount()];
      const { "x-csrf-token": _, ...without } = await signIn(account);
      const foreign = { ...without, "x-csrf-token": (await signIn(other))["x-csrf-token"] ?? "" };
      for (const headers of [without, { ...without, "x-csrf-token": "" }, foreign]) {
        const response = await send(headers, { to });
        expect({ status: response.status, ...(await response.json()) }).toMatchObject({ status: 403, reason: "stale_page" });
      }
      await expectUncharged(account);
    });
  });

  test("a run costs exactly what the API charges for the same prompt, and is recorded without a key", async () => {
    const [inPlayground, byKey] = [await openAccount(), await openAccount()];
    const body = promptOf({ system: "Be brief.", maxTokens: 40, temperature: 0.5 });
    const response = await send(await signIn(inPlayground), { body });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const events = readEvents(await response.text());
    const done = events.at(-1)?.data ?? "";
    const paid = await ask({ url: service.url("node"), key: byKey.key, body });
    expect(readPromptBody(done)).toMatchObject({ text: deltaText(events), usage: readPromptBody(paid.text).usage });
    expect(readCosts(done)).toEqual(readCosts(paid.text));

    const { rows } = await pool().query("SELECT request_id, key_id, streamed FROM charge WHERE account_id = $1", [inPlayground.accountId]);
    expect(rows).toEqual([{ request_id: readPromptBody(done).requestId, key_id: null, streamed: true }]);
    expect(await balanceOf(inPlayground.accountId)).toBe(await balanceOf(byKey.accountId));
    await expectPaid(inPlayground);
  });

  test("it always answers as a stream, whatever the body says, and refuses what the API refuses", async () => {
    const account = await openAccount();
    const headers = await signIn(account);
    const whole = await send(headers, { body: promptOf({ stream: false }) });
    expect(readEvents(await whole.text()).at(-1)?.event).toBe("done");
    const wrong = await send(headers, { body: promptOf({ max_tokens: 5 }) });
    expect({ status: wrong.status, ...(await wrong.json()) }).toMatchObject({ status: 400, code: "INVALID_REQUEST" });
    const payment = await send(headers, { body: promptOf({ payment: {} }) });
    expect({ status: payment.status, ...(await payment.json()) }).toMatchObject({ status: 402, code: "PAYMENT_VERIFICATION_FAILED" });
    const plain = await send({ ...headers, "content-type": "text/plain" });
    expect(plain.status).toBe(400);
  });

  test("headers cannot choose another payer: neither a key, nor an Idempotency-Key of another's answer, nor an account id", async () => {
    const [account, victim] = [await openAccount(), await openAccount()];
    const injected = {
      authorization: `Bearer ${victim.key}`,
      "idempotency-key": "the same for both",
      "x-account-id": victim.accountId,
      "x-forwarded-for": "10.0.0.1",
    };
    await ask({ url: service.url("node"), key: victim.key, body: promptOf(), headers: { "idempotency-key": "the same for both" } });
    const before = await balanceOf(victim.accountId);
    const headers = await signIn(account);
    await (await send({ ...headers, ...injected })).text();
    await (await send({ ...headers, ...injected })).text();
    expect(await balanceOf(victim.accountId)).toBe(before);
    expect(await chargesOf(account.accountId)).toHaveLength(2);
    await expectPaid(account);
  });

  test("no API request reaches the playground's endpoints", async () => {
    const account = await openAccount();
    const headers = await signIn(account);
    for (const entry of entryNames) {
      expect((await open({ url: service.url(entry), headers, body: promptOf() })).status).toBe(401);
      for (const path of ["/api/v1/playground", "/api/v1/playground/answer"]) {
        expect((await open({ url: service.url(entry), headers, path, body: promptOf() })).status).toBe(404);
      }
    }
    await expectUncharged(account);
  });

  test("a frozen account is refused, with its fix, and pays nothing; it may still get a price", async () => {
    const account = await openAccount();
    const headers = await signIn(account);
    await pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [account.accountId]);
    const response = await send(headers);
    expect({ status: response.status, ...(await response.json()) }).toMatchObject({
      status: 401,
      code: "INVALID_API_KEY",
      error: expect.stringMatching(/frozen/),
      details: { reason: "disabled" },
    });
    expect((await send(headers, { to: "quote" })).status).toBe(200);
    await expectUncharged(account);
  });

  test("a balance below the ceiling is refused with the number of tokens that it covers", async () => {
    const account = await openAccount({ usd: "0.0005" });
    const response = await send(await signIn(account), { body: promptOf({ maxTokens: 4_000 }) });
    const { code, details } = (await response.json()) as { code: string; details: { affordableMaxTokens: number } };
    expect(code).toBe("INSUFFICIENT_BALANCE");
    const body = promptOf({ maxTokens: details.affordableMaxTokens });
    expect((await (await send(await signIn(account), { body })).text()).includes("event: done")).toBe(true);
    await expectPaid(account);
  });

  test("a stopped stream is cut upstream and charged for what was delivered", async () => {
    const account = await openAccount();
    await service.models.clear();
    const leave = new AbortController();
    const response = await send(await signIn(account), { body: misbehaving("slow=100 tokens=500"), signal: leave.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    leave.abort();
    await reader?.cancel().catch(() => undefined); // which fetch has done
    expect(await awaitCharge(account.accountId)).toMatchObject({ outcome: "cancelled", streamed: true, estimated: true });
    expect((await service.models.awaitCall(({ state }) => state === "aborted_by_client")).deltasSent).toBeLessThan(100);
    await expectPaid(account);
  });

  test("price requests do not count against the API's rate limit", async () => {
    const account = await openAccount({ limits: { ratePerMinute: 2, concurrency: 2 } });
    const headers = await signIn(account);
    const statuses = await Promise.all([1, 2, 3].map(async () => (await send(headers, { to: "quote" })).status));
    expect(statuses.sort()).toEqual([200, 200, 429]);
    expect((await ask({ url: service.url("node"), key: account.key, body: promptOf() })).status).toBe(200);
    expect((await (await send(headers)).text()).includes("event: done")).toBe(true);
    const refused = await send(headers);
    expect(refused.status).toBe(429);
  });
});
