// A wallet's payment in the playground: the signed amount, the request, and how the page reports its outcome.

import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createElement } from "react";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { drawPage } from "@/components/ui/testing/app-router";
import { paymentReasonNames } from "@/lib/base/errors/payment-reasons";
import type { RunProblem, SignedPayment } from "../run";
import { PaymentFigures } from "../run-figures";
import { RunProblemNotice } from "../run-problem-notice";
import { type PlaygroundEndpoints, type RunEvent, requestAnswer, unreachable } from "../run-request";
import { centsFor, centsToNano, centsToUnits, shortageCure } from "./pay-types";

let server: Server;
let endpoints: PlaygroundEndpoints;
let reply: (response: ServerResponse) => void = () => undefined;
const seen: string[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    seen.push(body);
    reply(response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  endpoints = { answerUrl: `${base}/answer`, quoteUrl: `${base}/quote`, csrfToken: "token" };
});
afterAll(() => void server.close());

const payment: SignedPayment = { from: "0xA", requestId: "req_1", amount: 5, timestamp: 1, network: "base", signature: "0x1b" };
const fields = { model: "grok", prompt: "Hi", system: undefined, maxTokens: 5, temperature: undefined, payment };

async function run(): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of requestAnswer(endpoints, fields, new AbortController().signal)) events.push(event);
  return events;
}

const draw = (problem: RunProblem) =>
  drawPage(
    createElement(RunProblemNotice, { problem, payment, onLower: () => undefined, onAgain: () => undefined, onAllow: () => undefined }),
  );
const problemOf = (code: string | null, reason: string): RunProblem => ({ ...unreachable(false), code, reason, message: "It failed." });

test("the signed amount is the prompt's maximum cost, in whole cents and at least the minimum", () => {
  expect([1n, 10_000_000n, 10_000_001n, 42_280_000n].map((ceiling) => centsFor(ceiling, 1))).toEqual([1, 1, 2, 5]);
  expect(centsFor(1n, 25)).toBe(25);
  expect([centsToNano(5), centsToUnits(5)]).toEqual([50_000_000n, 50_000n]);
});

test("a wallet that has too little is told to lower max tokens only where that lowers the payment", () => {
  expect(shortageCure(5, 1)).toBe("Add USDC to the wallet, lower max tokens, or use another wallet.");
  expect(shortageCure(25, 25)).toBe("Add USDC to the wallet, or use another wallet.");
});

test("the payment is sent with the prompt as signed, unchanged on a retry, and its change is read exactly", async () => {
  const paid = `"payment":{"requestId":"req_1","from":"0xa","network":"eip155:8453","amount":5,"transaction":"0x74","charged":0.000000001,"change":0.049999999,"changeBelongsTo":"address"}`;
  const done = `{"text":"","usage":{"inputTokens":1,"outputTokens":1},"cost":{"inputCost":0,"outputCost":0.000000001},"requestId":"req_x",${paid}}`;
  reply = (response) => void response.writeHead(200).end(`event: done\ndata: ${done}\n\n`);
  const [first] = [(await run()).at(-1), await run()];
  expect(first).toMatchObject({ type: "done", payment: { transaction: "0x74", change: 49_999_999n, changeBelongsTo: "address" } });
  expect(JSON.parse(seen[0] ?? "")).toMatchObject({ prompt: "Hi", payment });
  expect(seen[1]).toBe(seen[0]);
});

test("the page says what left the wallet and who owns the change", () => {
  const figures = (parts: object) =>
    drawPage(
      createElement(PaymentFigures, {
        cents: 5,
        payment: { transaction: "0x74", change: 46_960_000n, changeBelongsTo: "account", ...parts },
      }),
    );
  expect(figures({})).toMatch(/Paid from the wallet:.*\$0\.05.*Change:.*\$0\.04696.*in your balance/s);
  expect(figures({ changeBelongsTo: "address" })).toContain("kept as a credit of this wallet");
  expect(figures({ transaction: null })).toContain("nothing left the wallet");
});

describe("a run that a wallet was to pay for", () => {
  test.each(paymentReasonNames)("refused as %s says what helps and that nothing was taken, and offers no retry of it", (reason) => {
    const page = draw(problemOf("PAYMENT_VERIFICATION_FAILED", reason));
    expect(page).toContain("Nothing was taken from the wallet.");
    expect(page).not.toContain("> Nothing was taken"); // other text comes before it
    expect(page).not.toContain("Send again");
    expect(page.includes('href="/payments"')).toBe(reason === "allowance_too_low");
  });

  test.each([
    ["SETTLEMENT_PENDING", "outcome_unknown"],
    ["INTERNAL_ERROR", "provider_unavailable"],
    ["RATE_LIMIT_EXCEEDED", "rate"],
    [null, "unreachable"],
    [null, "broke_off"],
  ])("that ends with %s, %s may be sent again unchanged", (code, reason) => {
    expect(draw(problemOf(code, reason))).toMatch(/never pay twice.*Send again/s);
  });

  test.each([
    ["INVALID_REQUEST", "unreadable"],
    [null, "signed_out"],
    [null, "stale_page"],
  ])("refused with %s, %s before its payment was read may not", (code, reason) => {
    expect(draw(problemOf(code, reason))).not.toContain("Send again");
  });
});
