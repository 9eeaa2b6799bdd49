// The receiver's side of webhooks: what the service signs is accepted, and nothing else.

import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { verifyWebhook, WebhookError, type WebhookRequest } from "./webhooks";

const secret = `whsec_${Buffer.from("a secret of at least 24 bytes").toString("base64")}`;
const event = {
  id: "evt_1",
  sequence: 7,
  type: "balance.low",
  createdAt: "2026-11-23T10:31:00.000Z",
  data: { balance: 4.98, threshold: 5 },
};
const sentMs = Date.UTC(2026, 10, 23, 10, 31);

/** Signed by the package of Standard Webhooks. */
function signed(fields: Partial<WebhookRequest> = {}, by: string = secret): WebhookRequest {
  const body = JSON.stringify(event);
  const headers = {
    "webhook-id": event.id,
    "webhook-timestamp": String(sentMs / 1_000),
    "webhook-signature": new Webhook(by).sign(event.id, new Date(sentMs), body),
  };
  return { body, headers, secret, nowMs: sentMs, ...fields };
}

test("what the package of Standard Webhooks signs is accepted, with plain headers and with Headers", async () => {
  expect(await verifyWebhook(signed())).toEqual(event);
  const { headers, ...rest } = signed();
  expect(await verifyWebhook({ ...rest, headers: new Headers(headers as Record<string, string>) })).toEqual(event);
});

test("while a secret is changed, one of several signatures and one of several secrets are enough", async () => {
  const old = `whsec_${Buffer.from("the secret before this one, also long").toString("base64")}`;
  const both = `${signed({}, old).headers["webhook-signature" as never]} ${signed().headers["webhook-signature" as never]}`;
  expect(await verifyWebhook(signed({ headers: { ...signed().headers, "webhook-signature": both } as never }))).toEqual(event);
  expect(await verifyWebhook(signed({ secret: [secret, old] }, old))).toEqual(event);
});

test.each<[string, Partial<WebhookRequest>]>([
  ["another body", { body: JSON.stringify({ ...event, sequence: 8 }) }],
  ["another secret", { secret: `whsec_${Buffer.from("somebody else's secret, long too").toString("base64")}` }],
  ["five minutes and a second later", { nowMs: sentMs + 301_000 }],
  ["from the future", { nowMs: sentMs - 301_000 }],
  ["no signature", { headers: { "webhook-id": "evt_1", "webhook-timestamp": String(sentMs / 1_000) } }],
  ["a time that is none", { headers: { ...(signed().headers as object), "webhook-timestamp": "now" } as never }],
  ["another id", { headers: { ...(signed().headers as object), "webhook-id": "evt_2" } as never }],
  ["a signature that is no base64", { headers: { ...(signed().headers as object), "webhook-signature": "v1,%%%" } as never }],
  ["a signature of another version", { headers: { ...(signed().headers as object), "webhook-signature": "v2,AAAA" } as never }],
])("%s is refused", async (_name, fields) => {
  await expect(verifyWebhook(signed(fields))).rejects.toThrow(WebhookError);
});

test("a secret that is none is the program's mistake", async () => {
  await expect(verifyWebhook(signed({ secret: "pp_0123456789" }))).rejects.toThrow(TypeError);
  await expect(verifyWebhook(signed({ secret: "whsec_%%%" }))).rejects.toThrow(TypeError);
});
