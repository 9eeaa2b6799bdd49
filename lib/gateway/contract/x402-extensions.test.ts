// The extensions of x402's own packages, unmodified: the endpoint describes itself to catalogues, a probe without a body learns the price,
// and a payment identifier gets the same answer for the same payment and body, and nothing for anything else.

import {
  declareDiscoveryExtension,
  extractDiscoveryInfo,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
} from "@x402/extensions/bazaar";
import {
  appendPaymentIdentifierToExtensions,
  declarePaymentIdentifierExtension,
  generatePaymentId,
  PAYMENT_IDENTIFIER,
} from "@x402/extensions/payment-identifier";
import { describe, expect, test } from "vitest";
import { pool } from "@/lib/db/pool";
import { promptBodySchema } from "../prompt/prompt-body";
import { ask, promptOf, readError } from "./testing/client";
import { entryNames, openService, PUBLIC_URL } from "./testing/service";
import { expectBooked, openX402, type Payload, requiredIn, settlementIn, X402_PATH, x402Settings } from "./testing/x402";

const service = await openService({ env: x402Settings });
const x402 = await openX402(service);

const body = promptOf({ maxTokens: 100 });
const other = promptOf({ maxTokens: 100, prompt: "Another question" });

type Extended = Payload & { extensions?: Record<string, unknown> };

/** The stock client's payment with an identifier: as its hooks are meant to be used. */
async function signAs(payer: Awaited<ReturnType<typeof x402.newPayer>>, id: string, asked: unknown = body): Promise<Extended> {
  const required = requiredIn(await x402.requestUnpaid(asked));
  if (!required) throw new Error("no payment was asked for");
  appendPaymentIdentifierToExtensions(required.extensions as Record<string, unknown>, id);
  return JSON.parse(JSON.stringify(await payer.client.createPaymentPayload(required as never)));
}

const withId = (payload: Extended, id: unknown): Extended => ({
  ...payload,
  extensions: { ...payload.extensions, [PAYMENT_IDENTIFIER]: { info: { required: false, id } } },
});

async function counted<T>(run: () => Promise<T>): Promise<{ result: T; answers: number; moved: bigint }> {
  const [answers, moved] = [await x402.answered(), await x402.moved()];
  const result = await run();
  return { result, answers: (await x402.answered()) - answers, moved: (await x402.moved()) - moved };
}

describe("what a 402 announces", () => {
  test("is exactly what the stock packages declare, and fits a proxy's buffers", async () => {
    const answer = await x402.requestUnpaid(body);
    const { extensions } = requiredIn(answer) ?? expect.unreachable();
    expect(Object.keys(extensions)).toEqual(["payment-identifier", "sign-in-with-x", "bazaar"]);
    expect(extensions[PAYMENT_IDENTIFIER]).toEqual(declarePaymentIdentifierExtension(false));
    // nginx gives the headers of an answer 8 KiB where it is told to; a client's own default is 16.
    expect(answer.headers.get("payment-required")?.length).toBeLessThan(8_000);
  });

  test("describes the endpoint for catalogues: valid for the stock validator, and its example is a prompt that is taken", async () => {
    const payer = await x402.newPayer();
    const payload = await x402.sign(payer, body);
    const bazaar = requiredIn(await x402.requestUnpaid(body))?.extensions.bazaar as never;
    expect(validateDiscoveryExtension(bazaar)).toEqual({ valid: true });
    expect(validateDiscoveryExtensionSpec(bazaar)).toEqual({ valid: true });
    const found = extractDiscoveryInfo(payload as never, payload.accepted as never);
    expect(found).toMatchObject({ resourceUrl: `${PUBLIC_URL}${X402_PATH}`, method: "POST", x402Version: 2 });
    const info = JSON.parse(JSON.stringify(found?.discoveryInfo)) as { input: { body: object }; output: { example: object } };
    const { input, output } = info;
    expect(promptBodySchema.safeParse(input.body).success).toBe(true);
    const { body: inputSchema } = (bazaar as { schema: { properties: { input: { properties: { body: object } } } } }).schema.properties
      .input.properties;
    const config = { method: "POST", input: input.body, inputSchema, bodyType: "json", output } as const;
    expect(bazaar).toEqual(JSON.parse(JSON.stringify(declareDiscoveryExtension(config as never))).bazaar);
    const listed = JSON.parse((await ask({ url: service.url("node"), path: "/.well-known/x402", method: "GET" })).text);
    expect(listed.items[0].extensions.bazaar).toEqual(bazaar);
  });
});

describe.each(entryNames)("a probe without a payment, through the %s server", (entry) => {
  const probe = (sent: unknown, headers: Record<string, string> = {}) =>
    ask({ url: service.url(entry), path: X402_PATH, body: sent, headers: { "content-type": "application/json", ...headers } });

  test.each<[string, unknown, Record<string, string>]>([
    ["no body", undefined, {}],
    ["an empty body", "", {}],
    ["an empty object", {}, {}],
    ["an empty body without a type", "", { "content-type": "text/plain" }],
    ["no JSON", "{", {}],
    ["an array", [], {}],
    ["null", "null", {}],
    ["an unknown model", promptOf({ model: "no-such-model" }), {}],
    ["an unknown field", promptOf({ max_tokens: 1 }), {}],
    ["a proof, which belongs elsewhere", promptOf({ payment: { from: "0x" } }), {}],
  ])("%s gets the price of the smallest prompt", async (_, sent, headers) => {
    const answer = await probe(sent, headers);
    readError(answer, "PAYMENT_REQUIRED");
    const amount = BigInt(requiredIn(answer)?.accepts[0]?.amount ?? 0);
    expect(amount).toBeGreaterThan(0n);
    const least = requiredIn(await probe(promptOf({ maxTokens: 1 })))?.accepts[0]?.amount ?? 0;
    expect(amount).toBeLessThanOrEqual(BigInt(least));
  });

  test("whoever pays for a body that cannot be read is told so, and nothing moves", async () => {
    const payer = await x402.newPayer();
    for (const [sent, code] of [
      [{}, "INVALID_REQUEST"],
      [promptOf({ model: "no-such-model" }), "INVALID_MODEL"],
      [promptOf({ payment: { from: "0x" } }), "INVALID_REQUEST"],
    ] as const) {
      const payload = await x402.sign(payer, sent);
      const { result, moved } = await counted(() => x402.send(sent, payload));
      readError(result, code);
      expect(moved).toBe(0n);
    }
    await expectBooked(payer, { payments: 0, answers: 0 });
  });

  test("a body above 1 MiB is refused as such", async () => {
    const answer = await probe(promptOf({ prompt: "x".repeat(1_100_000) }));
    expect(readError(answer, "INVALID_REQUEST").details.reason).toBe("too_large");
  });
});

describe("a payment identifier", () => {
  test("the same payment and body get the same answer and the same PAYMENT-RESPONSE; the stock client's hook adds it", async () => {
    const payer = await x402.newPayer();
    const id = generatePaymentId();
    payer.client.onBeforePaymentCreation(async ({ paymentRequired }) => {
      if (paymentRequired.extensions) appendPaymentIdentifierToExtensions(paymentRequired.extensions, id);
    });
    let sent: string | null = null;
    const pay = x402.fetchAs(payer, async (input, init) => {
      const request = new Request(input, init);
      sent = request.headers.get("payment-signature") ?? sent;
      return fetch(request);
    });
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const first = await pay(`${service.url("node")}${X402_PATH}`, init);
    const text = await first.text();
    expect(first.status, text).toBe(200);
    const payload = JSON.parse(Buffer.from(sent ?? "", "base64").toString("utf8")) as Extended;
    expect(payload.extensions?.[PAYMENT_IDENTIFIER]).toMatchObject({ info: { id } });
    const { result, answers, moved } = await counted(() => x402.send(body, payload));
    expect({ status: result.status, text: result.text, answers, moved }).toEqual({ status: 200, text, answers: 0, moved: 0n });
    expect(settlementIn(result)).toEqual(settlementIn(first));
    const { rows } = await pool().query("SELECT identifier FROM payment_claim WHERE identifier = $1", [id]);
    expect(rows).toHaveLength(1);
    await expectBooked(payer, { payments: 1, answers: 1 });
  });

  test("of a payment that the payer's credit covered, it is answered again in the same way", async () => {
    const payer = await x402.newPayer();
    const large = promptOf({ maxTokens: 2_000 });
    expect((await x402.send(large, await x402.sign(payer, large))).status).toBe(200);
    const payload = await signAs(payer, generatePaymentId());
    const first = await x402.send(body, payload);
    expect(settlementIn(first)).toMatchObject({ success: true, transaction: "", amount: "0" });
    const again = await x402.send(body, payload);
    expect({ text: again.text, settlement: settlementIn(again) }).toEqual({ text: first.text, settlement: settlementIn(first) });
    await expectBooked(payer, { payments: 1, answers: 2 });
  });

  test("with anything else it is refused with 409, before any signature is verified, and nothing moves", async () => {
    const [payer, stranger] = [await x402.newPayer(), await x402.newPayer()];
    const id = generatePaymentId();
    const payload = await signAs(payer, id);
    expect((await x402.send(body, payload)).status).toBe(200);
    const forged = { ...payload, payload: { ...payload.payload, signature: `0x${"11".repeat(65)}` as const } };
    const { answers, moved } = await counted(async () => {
      for (const [sent, given] of [
        [other, payload],
        [other, await signAs(payer, id, other)],
        [body, await signAs(payer, id)],
        [body, await signAs(stranger, id)],
        [body, forged],
        [body, withId(payload, generatePaymentId())],
      ] as const) {
        const answer = await x402.send(sent, given);
        readError(answer, "PAYMENT_CONFLICT");
        expect(answer.headers.get("payment-response")).toBeNull();
      }
    });
    expect({ answers, moved }).toEqual({ answers: 0, moved: 0n });
    // The payment itself, without its identifier, is still what it was.
    expect((await x402.send(body, { ...payload, extensions: undefined })).status).toBe(200);
    await expectBooked(payer, { payments: 1, answers: 1 });
    await expectBooked(stranger, { payments: 0, answers: 0 });
  });

  test("a payment that came without one takes the first that it comes with", async () => {
    const [payer, stranger] = [await x402.newPayer(), await x402.newPayer()];
    const id = generatePaymentId();
    const payload = await x402.sign(payer, body);
    const first = await x402.send(body, payload);
    expect((await x402.send(body, withId(payload, id))).text).toBe(first.text);
    readError(await x402.send(body, await signAs(stranger, id)), "PAYMENT_CONFLICT");
    readError(await x402.send(body, withId(payload, generatePaymentId())), "PAYMENT_CONFLICT");
    await expectBooked(payer, { payments: 1, answers: 1 });
  });

  test("a payment that is refused takes no identifier: not a forged one, and not one that its wallet cannot pay", async () => {
    const [payer, poor] = [await x402.newPayer(), await x402.newPayer(0n)];
    const id = generatePaymentId();
    const payload = await signAs(payer, id);
    const forged = { ...payload, payload: { ...payload.payload, signature: `0x${"22".repeat(65)}` as const } };
    readError(await x402.send(body, forged), "PAYMENT_VERIFICATION_FAILED");
    readError(await x402.send(body, await signAs(poor, id)), "PAYMENT_VERIFICATION_FAILED");
    expect((await x402.send(body, payload)).status).toBe(200);
  });

  test.each([16, 32])("%i payments with one identifier at once: one is paid and answered, the others get 409", async (count) => {
    const id = generatePaymentId();
    const payers = await Promise.all(Array.from({ length: count }, () => x402.newPayer()));
    const payloads = await Promise.all(payers.map((payer) => signAs(payer, id)));
    const { result, answers } = await counted(() => Promise.all(payloads.map((payload) => x402.send(body, payload))));
    expect(result.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: count - 1 }, () => 409)]);
    for (const answer of result.filter(({ status }) => status === 409)) readError(answer, "PAYMENT_CONFLICT");
    expect(answers).toBe(1);
  });

  test.each(["", "short", "x".repeat(129), "with spaces in it", "sixteen-letters-é", 7, null, {}, ["a".repeat(16)]])(
    "%j is refused as malformed, before anything moves",
    async (id) => {
      const payer = await x402.newPayer();
      const payload = withId(await x402.sign(payer, body), id);
      const { result, moved } = await counted(() => x402.send(body, payload));
      expect(readError(result, "INVALID_REQUEST").details.issues).toMatchObject([{ path: expect.stringContaining(PAYMENT_IDENTIFIER) }]);
      expect(moved).toBe(0n);
    },
  );

  test.each([undefined, { info: { required: false } }, { info: { required: true } }])(
    "without an id, %j changes nothing",
    async (given) => {
      const payer = await x402.newPayer();
      const payload = { ...(await x402.sign(payer, body)), extensions: { [PAYMENT_IDENTIFIER]: given } };
      expect((await x402.send(body, payload)).status).toBe(200);
    },
  );

  test.each([null, 7, "text", [], {}, { info: null }])("an extension of %j is refused as malformed", async (given) => {
    const payer = await x402.newPayer();
    const payload = { ...(await x402.sign(payer, body)), extensions: { [PAYMENT_IDENTIFIER]: given } };
    readError(await x402.send(body, payload), "INVALID_REQUEST");
  });
});
