// Sign-in with x, by the stock packages, unmodified: a wallet's credit pays for a request, and no money is signed. The text is good for one
// request, for its exact body, for five minutes; whatever is changed in it is refused, and then the request may be paid as usual.

import { createPrivateKey, randomBytes, sign } from "node:crypto";
import { base58 } from "@scure/base";
import { Keypair } from "@solana/web3.js";
import {
  createSIWxClientExtension,
  createSIWxPayload,
  encodeSIWxHeader,
  type SIWxExtension,
  type SIWxPayload,
  type SolanaSigner,
  validateSIWxMessage,
  verifySIWxSignature,
  wrapFetchWithSIWx,
} from "@x402/extensions/sign-in-with-x";
import { afterEach, describe, expect, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import { nanoUsd, parseUsd } from "@/lib/base/money";
import { openCustomerAccount, openFundingAccount } from "@/lib/ledger/accounts";
import { postTransfer } from "@/lib/ledger/transfers";
import { creditAccountOf } from "@/lib/payments/claims/credits";
import { evmNetwork, solanaNetwork } from "@/lib/payments/claims/networks";
import { balanceOf, chargesOf } from "./testing/books";
import { type Answer, ask, promptOf, readError, readPromptBody } from "./testing/client";
import { entryNames, openService, PUBLIC_URL } from "./testing/service";
import { expectBooked, openX402, requiredIn, settlementIn, X402_PATH, type X402Payer, x402Settings } from "./testing/x402";

const service = await openService({ env: x402Settings });
const x402 = await openX402(service);

const body = promptOf({ maxTokens: 100 });
const other = promptOf({ maxTokens: 100, prompt: "Another question" });
const resource = `${PUBLIC_URL}${X402_PATH}`;
const domain = new URL(PUBLIC_URL).host;

let restoreClock = () => {};
afterEach(() => restoreClock());

/** A fetch that reaches the service under its public name, as a client does. */
const publicFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const url = request.url.replace(PUBLIC_URL, service.url("node"));
  const response = await fetch(url, { method: request.method, headers: request.headers, body: await request.text() });
  return new Response(response.body, { status: response.status, headers: response.headers });
};

const post = (sent: unknown) => ({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(sent) });

/** A wallet with a credit from an earlier payment. */
async function newCreditor(): Promise<X402Payer> {
  const payer = await x402.newPayer();
  const large = promptOf({ maxTokens: 4_000 });
  expect((await x402.send(large, await x402.sign(payer, large))).status).toBe(200);
  return payer;
}

async function challenge(asked: unknown = body): Promise<SIWxExtension> {
  const found = requiredIn(await x402.requestUnpaid(asked))?.extensions["sign-in-with-x"];
  if (!found) throw new Error("no text was offered");
  return JSON.parse(JSON.stringify(found)) as SIWxExtension;
}

const complete = ({ info, supportedChains }: SIWxExtension, type: "eip191" | "ed25519") => {
  const chain = supportedChains.find((one) => one.type === type);
  if (!chain) throw new Error(`no chain for ${type}`);
  return { ...info, chainId: chain.chainId, type };
};

/** The stock client's signed text for this body. */
const signedBy = async (payer: X402Payer, asked: unknown = body): Promise<SIWxPayload> =>
  createSIWxPayload(complete(await challenge(asked), "eip191"), payer.account, resource);

const send = (signed: unknown, sent: unknown = body, entry: "node" | "next" = "node"): Promise<Answer> =>
  ask({ url: service.url(entry), path: X402_PATH, body: sent, headers: { "sign-in-with-x": encodeSIWxHeader(signed as SIWxPayload) } });

async function counted<T>(run: () => Promise<T>): Promise<{ result: T; answers: number; moved: bigint }> {
  const [answers, moved] = [await x402.answered(), await x402.moved()];
  const result = await run();
  return { result, answers: (await x402.answered()) - answers, moved: (await x402.moved()) - moved };
}

/** Refused before anything was asked or moved, with the offers and a new text beside it. */
async function expectRefused(run: () => Promise<Answer>, reason: string, errorReason: string): Promise<void> {
  const { result, answers, moved } = await counted(run);
  expect(readError(result, "PAYMENT_VERIFICATION_FAILED").details.reason).toBe(reason);
  expect(settlementIn(result)).toMatchObject({ success: false, errorReason, transaction: "" });
  expect(requiredIn(result)?.extensions).toHaveProperty("sign-in-with-x");
  expect({ answers, moved }).toEqual({ answers: 0, moved: 0n });
}

test("the text is what the stock server would issue: bound to this origin, for five minutes, new each time", async () => {
  const [one, two] = [await challenge(), await challenge()];
  expect(one.info).toMatchObject({
    domain,
    uri: resource,
    version: "1",
    statement: expect.stringMatching(/^Pay for one request to PennyPrompt .* at most \$0\.\d+\.$/),
  });
  expect(one.info.nonce).not.toBe(two.info.nonce);
  expect(Date.parse(one.info.expirationTime ?? "") - Date.parse(one.info.issuedAt)).toBe(300_000);
  expect(one.supportedChains).toEqual([
    { chainId: evmNetwork(), type: "eip191" },
    { chainId: solanaNetwork(), type: "ed25519" },
  ]);
  const signed = await signedBy(await x402.newPayer());
  expect(await validateSIWxMessage(signed, new URL(PUBLIC_URL))).toEqual({ isValid: true });
  expect(await verifySIWxSignature(signed)).toMatchObject({ isValid: true });
});

test("the stock client signs in, its wallet's credit pays, and no money is signed", async () => {
  const payer = await newCreditor();
  const client = payer.client.registerExtension(createSIWxClientExtension({ signers: [payer.account] }));
  const before = await balanceOf(payer.credit);
  const { result, moved } = await counted(() => x402.fetchAs({ ...payer, client }, publicFetch)(resource, post(body)));
  const text = await result.text();
  expect(result.status, text).toBe(200);
  expect(moved).toBe(0n);
  expect(settlementIn(result)).toEqual({
    success: true,
    payer: payer.account.address.toLowerCase(),
    transaction: "",
    network: evmNetwork(),
    amount: "0",
  });
  const charge = (await chargesOf(payer.credit)).at(-1);
  expect(await balanceOf(payer.credit)).toBe(before - (charge?.input_cost ?? 0n) - (charge?.output_cost ?? 0n));
  expect(charge?.request_id).toBe(readPromptBody(text).requestId);
  await expectBooked(payer, { payments: 1, answers: 2 });
});

test("without enough credit the stock client pays as usual", async () => {
  const payer = await x402.newPayer();
  const client = payer.client.registerExtension(createSIWxClientExtension({ signers: [payer.account] }));
  const response = await x402.fetchAs({ ...payer, client }, publicFetch)(resource, post(body));
  expect(response.status, await response.text()).toBe(200);
  await expectBooked(payer, { payments: 1, answers: 1 });
  const refused = await send(await signedBy(await x402.newPayer()));
  expect(readError(refused, "PAYMENT_REQUIRED").error).toMatch(
    /^The credit of 0x[0-9a-f]{40} is \$0\.00, and this request can cost \$0\.0/,
  );
});

test("the package's simpler fetch works as well, and streams", async () => {
  const payer = await newCreditor();
  const response = await wrapFetchWithSIWx(publicFetch, payer.account)(resource, post({ ...body, stream: true }));
  const text = await response.text();
  expect(response.status, text).toBe(200);
  expect(text).toContain("event: done");
  await expectBooked(payer, { payments: 1, answers: 2 });
});

test("a Solana wallet signs in, and its credit pays", async () => {
  const wallet = Keypair.generate();
  const address = wallet.publicKey.toBase58();
  const credit = creditAccountOf(solanaNetwork(), address);
  await openCustomerAccount(credit);
  await openFundingAccount("test_funding");
  const amount = parseUsd("0.5");
  const legs = [
    { account: credit, amount },
    { account: "test_funding", amount: nanoUsd(-amount) },
  ];
  await postTransfer({ id: `credit_${credit}`, kind: "credit", legs });
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), wallet.secretKey.subarray(0, 32)]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const signer: SolanaSigner = { publicKey: address, signMessage: async (message) => new Uint8Array(sign(null, message, key)) };
  const signed = await createSIWxPayload(complete(await challenge(), "ed25519"), signer, resource);
  const answer = await send(signed);
  expect(answer.status, answer.text).toBe(200);
  expect(settlementIn(answer)).toMatchObject({ success: true, payer: address, network: solanaNetwork() });
  const [charge] = await chargesOf(credit);
  expect(await balanceOf(credit)).toBe(amount - (charge?.input_cost ?? 0n) - (charge?.output_cost ?? 0n));
  const forged = { ...signed, signature: base58.encode(randomBytes(64)) };
  await expectRefused(() => send(forged), "bad_signature", "invalid_siwx_signature");
});

describe("one text", () => {
  test.each([8, 32])("%i times at once, over both servers: one answer, one charge", async (count) => {
    const payer = await newCreditor();
    const signed = await signedBy(payer);
    const { result, answers } = await counted(() =>
      Promise.all(Array.from({ length: count }, (_, index) => send(signed, body, entryNames[index % 2]))),
    );
    expect(result.every(({ status }) => status === 200 || status === 409)).toBe(true);
    for (const answer of result.filter(({ status }) => status === 409)) readError(answer, "REQUEST_IN_PROGRESS");
    expect(new Set(result.filter(({ status }) => status === 200).map(({ text }) => text)).size).toBe(1);
    expect(answers).toBe(1);
    await expectBooked(payer, { payments: 1, answers: 2 });
  });

  test("later, the same request gets its first answer again, at no charge", async () => {
    const payer = await newCreditor();
    const signed = await signedBy(payer);
    const first = await send(signed);
    const { result, answers } = await counted(() => send(signed));
    expect({ status: result.status, text: result.text, answers }).toEqual({ status: 200, text: first.text, answers: 0 });
    expect(result.headers.get("idempotent-replayed")).toBe("true");
    expect(settlementIn(result)).toEqual(settlementIn(first));
    await expectBooked(payer, { payments: 1, answers: 2 });
  });

  test("pays for no other body, before it was used and after", async () => {
    const payer = await newCreditor();
    const signed = await signedBy(payer);
    await expectRefused(() => send(signed, other), "replayed", "invalid_siwx_nonce");
    expect((await send(signed)).status).toBe(200);
    await expectRefused(() => send(signed, other), "replayed", "invalid_siwx_nonce");
    await expectRefused(() => send(signed, promptOf({ maxTokens: 200 })), "replayed", "invalid_siwx_nonce");
    await expectBooked(payer, { payments: 1, answers: 2 });
  });

  test("is given back by a request whose model failed: nothing was charged", async () => {
    const payer = await newCreditor();
    const signed = await signedBy(payer);
    await service.models.simulate("status=500");
    readError(await send(signed), "INTERNAL_ERROR");
    await expectBooked(payer, { payments: 1, answers: 1 });
    expect((await send(signed)).status).toBe(200);
    await expectBooked(payer, { payments: 1, answers: 2 });
  });

  test("has expired after five minutes, used or not", async () => {
    const payer = await newCreditor();
    const signed = await signedBy(payer);
    const expiresAt = Date.parse(signed.expirationTime ?? "");
    restoreClock = setClock(() => expiresAt);
    await expectRefused(() => send(signed), "expired", "invalid_siwx_expired");
    restoreClock();
    restoreClock = setClock(() => expiresAt - 60_000);
    expect((await send(signed)).status).toBe(200);
  });
});

describe("a changed text is refused, and nothing is asked or charged", () => {
  const later = new Date(Date.now() + 86_400_000).toISOString();
  test.each<[string, Partial<Record<keyof SIWxPayload, unknown>>, string, string]>([
    ["another domain", { domain: "evil.example" }, "malformed", "invalid_siwx_domain_mismatch"],
    ["another address of the service", { uri: `${PUBLIC_URL}/elsewhere` }, "malformed", "invalid_siwx_uri_mismatch"],
    ["another origin", { uri: "https://evil.example/api/v1/x402/prompt" }, "malformed", "invalid_siwx_uri_mismatch"],
    ["a later end", { expirationTime: later }, "replayed", "invalid_siwx_nonce"],
    ["a later beginning", { issuedAt: later }, "replayed", "invalid_siwx_nonce"],
    ["a nonce of the client's own", { nonce: "a".repeat(54) }, "replayed", "invalid_siwx_nonce"],
    ["another chain", { chainId: "eip155:1" }, "network_unsupported", "invalid_siwx_unsupported_chain"],
    ["the other chain's kind", { type: "ed25519" }, "network_unsupported", "invalid_siwx_unsupported_chain"],
    ["no address", { address: "0x12" }, "malformed", "invalid_siwx_malformed_signature"],
    ["another wallet", { address: "0x00000000000000000000000000000000000000aa" }, "bad_signature", "invalid_siwx_signature"],
    ["another signature", { signature: `0x${"11".repeat(65)}` }, "bad_signature", "invalid_siwx_signature"],
    ["no signature", { signature: "" }, "bad_signature", "invalid_siwx_signature"],
    ["a short nonce", { nonce: "abc" }, "malformed", "invalid_payload"],
    ["a nonce with a quote", { nonce: `${"a".repeat(53)}'` }, "malformed", "invalid_payload"],
    ["a beginning that is no time", { issuedAt: "yesterday" }, "malformed", "invalid_payload"],
    ["an endless text", { expirationTime: undefined }, "malformed", "invalid_payload"],
    ["a huge signature", { signature: `0x${"1".repeat(10_001)}` }, "malformed", "invalid_payload"],
  ])("%s", async (_, change, reason, errorReason) => {
    const payer = await newCreditor();
    const signed = { ...(await signedBy(payer)), ...change };
    await expectRefused(() => send(signed), reason, errorReason);
    await expectBooked(payer, { payments: 1, answers: 1 });
  });

  test.each(["", "rubbish", "bm8=", "e30=", "bnVsbA=="])("a header of %j", async (header) => {
    const answer = await ask({ url: service.url("node"), path: X402_PATH, body, headers: { "sign-in-with-x": header } });
    expect(readError(answer, "PAYMENT_VERIFICATION_FAILED").details.reason).toBe("malformed");
  });

  test("a signature over other words, by the right wallet: a longer time, or an added resource", async () => {
    const payer = await newCreditor();
    const info = complete(await challenge(), "eip191");
    for (const changed of [{ expirationTime: later }, { resources: [resource] }, { statement: "Hello." }, { requestId: "1" }]) {
      const signed = await createSIWxPayload({ ...info, ...changed }, payer.account, resource);
      const { result, answers } = await counted(() => send(signed));
      readError(result, "PAYMENT_VERIFICATION_FAILED");
      expect(answers).toBe(0);
    }
  });
});

test("a request that comes with a body that cannot be read is told so", async () => {
  const payer = await newCreditor();
  readError(await send(await signedBy(payer, {}), {}), "INVALID_REQUEST");
});

test("with clipToBalance a credit that is too small for the limit pays for a shorter answer", async () => {
  const payer = await newCreditor();
  const credit = await balanceOf(payer.credit);
  const long = promptOf({ maxTokens: 16_000 });
  readError(await send(await signedBy(payer, long), long), "PAYMENT_REQUIRED");
  const clipped = { ...long, clipToBalance: true };
  const answer = await send(await signedBy(payer, clipped), clipped);
  expect(answer.status, answer.text).toBe(200);
  expect(Number(answer.headers.get("x-clipped-to"))).toBeGreaterThanOrEqual(256);
  expect(Number(answer.headers.get("x-clipped-to"))).toBeLessThan(16_000);
  expect(await balanceOf(payer.credit)).toBeLessThan(credit);
  await expectBooked(payer, { payments: 1, answers: 2 });
});
