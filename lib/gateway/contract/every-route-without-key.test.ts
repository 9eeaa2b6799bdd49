// Every route counts (see every-route.test.ts): those that are sold without a key, by a payment or to a session, and the playground's free
// one; and no way to a provider leads past the routes.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openPlayground, settings as pageSettings } from "@/app/(console)/playground/testing";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { pool } from "@/lib/db/pool";
import { openAccount } from "./testing/accounts";
import { awaitNothingHeld, balanceOf, chargesOf, expectPaid, expectUncharged } from "./testing/books";
import { promptOf } from "./testing/client";
import { openCountedProvider } from "./testing/counted-provider";
import { freeRoutes, heldFor, readRefusal, salesForKey, soldOtherwise, spentBy } from "./testing/every-route";
import { expectBooked, openX402, paidInBy, requiredIn, x402Settings } from "./testing/x402";

const { service, provider, whileOneRuns } = await openCountedProvider({ ...x402Settings, ...pageSettings });
const x402 = await openX402(service);
const playground = openPlayground(service);

/** Both sell what POST /api/v1/prompt does. */
const cost = salesForKey()[0]?.cost ?? 0n;

const proofs: Record<string, () => void> = {
  "POST /api/v1/x402/prompt": provePayments,
  "POST /playground/answer": provePlayground,
};

test("every route that is sold without a key has its proofs", () => expect(Object.keys(proofs)).toEqual(soldOtherwise));
describe.each(Object.entries(proofs))("%s", (_route, prove) => prove());

const ours = { errors: "ours" } as const;

function provePayments(): void {
  const body = promptOf({ maxTokens: 50 });

  test("without a payment there is a price, and no call", async () => {
    expect(readRefusal(ours, await x402.requestUnpaid(body))).toMatchObject({ status: 402, code: "PAYMENT_REQUIRED" });
    expect(provider.calls).toEqual([]);
  });

  test("what was paid is held before the call and charged exactly after; a retry is answered from the first run; another body is refused", async () => {
    const payer = await x402.newPayer();
    const payment = await x402.sign(payer, body);
    let [held, paid]: [bigint[], bigint] = [[], 0n];
    provider.onCall = async () => {
      [held, paid] = [await heldFor(payer.credit), (await paidInBy(payer)).sum];
    };
    const first = await x402.send(body, payment);
    expect(first.status, first.text).toBe(200);
    expect(paid).toBe(BigInt(payment.accepted.amount) * 1_000n);
    // The price is the ceiling in whole units of USDC.
    expect(held.map((ceiling) => (ceiling + 999n) / 1_000n)).toEqual([BigInt(payment.accepted.amount)]);
    const [charge] = await chargesOf(payer.credit);
    expect([charge?.request_id, (charge?.input_cost ?? 0n) + (charge?.output_cost ?? 0n)]).toEqual([
      first.headers.get("x-request-id"),
      cost,
    ]);
    const again = await x402.send(body, payment);
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
    expect(readRefusal(ours, await x402.send(promptOf({ maxTokens: 49 }), payment)).status).toBeGreaterThanOrEqual(400);
    expect(provider.billed).toBe(1);
    await expectBooked(payer, { payments: 1, answers: 1 });
  });

  test("a provider that fails leaves the payment as the payer's credit", async () => {
    const payer = await x402.newPayer();
    provider.fails = true;
    expect(readRefusal(ours, await x402.send(body, await x402.sign(payer, body))).code).toBe("INTERNAL_ERROR");
    await awaitNothingHeld();
    await expectBooked(payer, { payments: 1, answers: 0 });
  });

  test("it is limited by the client's address: at once, and in a minute", async () => {
    const payer = await x402.newPayer();
    const payment = await x402.sign(payer, body);
    const limited = async (settings: Record<string, string>, limit: string) => {
      Object.assign(process.env, settings);
      forgetSingleton("config");
      await x402.requestUnpaid(body);
      const second = await x402.requestUnpaid(body);
      Object.assign(process.env, x402Settings);
      forgetSingleton("config");
      expect(readRefusal(ours, second)).toMatchObject({ code: "RATE_LIMIT_EXCEEDED", details: { limit } });
    };
    await whileOneRuns(x402.send(body, payment), () => limited({ X402_CONCURRENCY_LIMIT: "1" }, "concurrency"));
    await limited({ RATE_LIMIT_PER_MINUTE: "1" }, "rate");
    expect(requiredIn(await x402.requestUnpaid(body))).not.toBeNull();
    await expectBooked(payer, { payments: 1, answers: 1 });
  });
}

function provePlayground(): void {
  const send = async (headers: Record<string, string>, to?: "quote") => {
    const response = await playground.send(headers, { body: promptOf({ maxTokens: 50 }), ...(to && { to }) });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  test("it is for the page of a session only, and not for one of a frozen account", async () => {
    const account = await openAccount();
    const headers = await playground.signIn(account);
    const without = (name: string) => Object.fromEntries(Object.entries(headers).filter(([header]) => header !== name));
    for (const [name, status] of Object.entries({ cookie: 401, "x-csrf-token": 403, origin: 403 }))
      expect((await send(without(name))).status, name).toBe(status);
    expect((await send({ ...without("cookie"), authorization: `Bearer ${account.key}` })).status).toBe(401);
    await pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [account.accountId]);
    expect((await send(headers)).status).toBe(401);
    expect(provider.calls).toEqual([]);
    await expectUncharged(account);
  });

  test("it holds before the call, charges exactly, counts for the session's daily cap, and is refused there", async () => {
    const account = await openAccount({ usd: "100" });
    const { accountId } = account;
    const headers = await playground.signIn(account);
    let held: bigint[] = [];
    provider.onCall = async () => {
      held = await heldFor(accountId);
    };
    expect((await send(headers)).status).toBe(200);
    expect([held.length, provider.billed]).toEqual([1, 1]);
    expect(await balanceOf(accountId)).toBe(account.credit - cost);
    expect(await spentBy(accountId)).toBe(cost);
    // The cap is $5.
    await pool().query("UPDATE key_spend SET spent = 5000000000 WHERE key_id = $1", [accountId]);
    expect(readRefusal(ours, await send(headers))).toMatchObject({ status: 402, code: "SPEND_CAP_REACHED" });
    await pool().query("UPDATE key_spend SET spent = $2 WHERE key_id = $1", [accountId, cost]);
    expect(provider.billed).toBe(1);
    await expectPaid(account);
  });

  test("too small a balance, the account's rate and its slots refuse before any call; a failure costs nothing", async () => {
    const poor = await openAccount({ usd: "0.000000001" });
    expect(readRefusal(ours, await send(await playground.signIn(poor)))).toMatchObject({ status: 402, code: "INSUFFICIENT_BALANCE" });
    expect(provider.calls).toEqual([]);
    const busy = await openAccount({ limits: { ratePerMinute: 99, concurrency: 1 } });
    const ofBusy = await playground.signIn(busy);
    await whileOneRuns(send(ofBusy), async () =>
      expect(readRefusal(ours, await send(ofBusy)).details).toMatchObject({ limit: "concurrency" }),
    );
    provider.fails = true;
    const failing = await openAccount({ limits: { ratePerMinute: 1, concurrency: 9 } });
    const ofFailing = await playground.signIn(failing);
    expect(readRefusal(ours, await send(ofFailing)).code).toBe("INTERNAL_ERROR");
    expect(readRefusal(ours, await send(ofFailing)).details).toMatchObject({ limit: "rate" });
    await expectUncharged(failing);
    await expectPaid(busy);
  });

  test("its quote is free", async () => {
    expect(freeRoutes).toHaveProperty("POST /playground/quote");
    const account = await openAccount();
    expect((await send(await playground.signIn(account), "quote")).status).toBe(200);
    expect(provider.calls).toEqual([]);
    await expectUncharged(account);
  });
}

describe("no way leads past the routes", () => {
  /** The product's files, with their texts. */
  const files = ["app", "lib"].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: "utf8" })
      .map((path) => `${root}/${path}`)
      .filter((path) => /\.tsx?$/.test(path) && !/\.test\.|\/testing\/|\/generated\//.test(path))
      .map((path) => ({ path, text: readFileSync(path, "utf8") })),
  );
  const filesWith = (pattern: RegExp) => files.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

  test("only these files call a provider; whoever adds one proves in every-route.ts that its route counts", () => {
    const calling = filesWith(/(?<!function )\b(?:callProvider|callProviderWhole|countInputTokens)\(/);
    expect(calling.filter((path) => !/^lib\/(?:providers|sandbox)\//.test(path)).sort()).toEqual([
      "lib/gateway/messages/messages.ts",
      "lib/gateway/prompt/answer.ts",
    ]);
  });

  test("only these files sell a prompt; whoever adds one lists its route in every-route.ts", () => {
    expect(filesWith(/(?<!function )\brunPrompt\(/).sort()).toEqual([
      "lib/gateway/chat/completions.ts",
      "lib/gateway/embeddings/endpoint.ts",
      "lib/gateway/messages/messages.ts",
      "lib/gateway/prompt/pipeline.ts",
      "lib/gateway/prompt/playground.ts",
      "lib/gateway/responses/responses.ts",
      "lib/gateway/x402/prompt.ts",
    ]);
  });

  test("Next answers no path of its own but these, and the first of them by the routes", () => {
    const routes = files.map(({ path }) => path).filter((path) => /\/route\.ts$/.test(path));
    expect(routes.sort()).toEqual([
      "app/(console)/account/events/route.ts",
      "app/(console)/account/search/route.ts",
      "app/(console)/playground/answer/route.ts",
      "app/(console)/playground/quote/route.ts",
      "app/(console)/usage/export/route.ts",
      "app/.well-known/x402/route.ts",
      "app/api/[...path]/route.ts",
      "app/api/auth/[...nextauth]/route.ts",
      "app/api/auth/challenge/route.ts",
      "app/api/email/unsubscribe/[token]/route.ts",
      "app/api/rpc/[chain]/route.ts",
      "app/api/v1/[...path]/route.ts",
      "app/docs-text/[[...path]]/route.ts",
      "app/llms-full.txt/route.ts",
      "app/llms.txt/route.ts",
      "app/reserves.json/route.ts",
      "app/search.json/route.ts",
      "app/v1/[...path]/route.ts",
    ]);
  });
});
