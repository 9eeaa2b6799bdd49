// E-mail on the alerts page, and the pages and the endpoint to which the links of mails lead.

import { afterEach, beforeEach, expect, test } from "vitest";
import { newAccountId, newSessionId } from "@/lib/base/ids";
import { setSandboxPepper } from "@/lib/base/pepper";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { sendSample } from "@/lib/events/deliveries";
import { deliverDue } from "@/lib/events/testing/endpoints";
import { linkOf, type MailServer, openMailServer, useMailServer } from "@/lib/events/testing/mail-server";
import { openCustomerAccount } from "@/lib/ledger/accounts";
import type { Owner } from "../owner";
import { readAlerts } from "./alerts";
import { newEndpointForm, readAlertsQuery } from "./alerts-form";
import { answerOneClick, confirmByLink, readConfirmPage, readUnsubscribePage, unsubscribeByLink } from "./mail-links";
import { addOwnEndpoint, requestOwnConfirmation, switchOwnEndpoint } from "./own-endpoints";

await openTestDatabase();
setSandboxPepper("a pepper for tests, of more than 32 characters");

let mails: MailServer;
let owner: Owner;
let address: string;
beforeEach(async () => {
  mails = await openMailServer();
  useMailServer(mails.server);
  const accountId = newAccountId();
  await openCustomerAccount(accountId);
  owner = {
    accountId,
    sessionId: newSessionId(),
    wallet: { chain: "evm", address: `0x${"ab".repeat(20)}` },
    isFrozen: false,
    isLeaving: false,
    confirmedAt: new Date(0),
    spendsUntil: null,
  };
  address = `${accountId.toLowerCase()}@example.com`;
});
afterEach(() => mails.close());

const read = () => readAlerts(owner, readAlertsQuery({}));
const add = (target: string) => addOwnEndpoint(owner, { kind: "email", target, types: null });
const lastToken = (words: string): string => {
  // Mails of the test before may be sent in the same round.
  const mail = mails.received.findLast(({ to }) => to.includes(address));
  if (!mail) throw new Error("no mail came");
  return linkOf(mail, words).replace(/^.*\//, "");
};

/** A confirmed address; the token that stops its mails. */
async function openConfirmed(): Promise<{ endpointId: string; stop: string }> {
  await add(address);
  await deliverDue();
  await confirmByLink(lastToken("Confirm this address"));
  const endpointId = (await read()).endpoints[0]?.id ?? "";
  return { endpointId, stop: lastToken("Unsubscribe") };
}

const post = (token: string, body: string, type = "application/x-www-form-urlencoded") =>
  answerOneClick(new Request("http://x.example/", { method: "POST", body, headers: { "content-type": type } }), token);

test("an address waits for its confirmation on the page, and the mail can be sent again a few times", async () => {
  expect(newEndpointForm.parse({ kind: "email", target: address, types: null })).toMatchObject({ kind: "email" });
  expect(await add("you@example.com\r\nBcc: all@example.com")).toMatchObject({
    ok: false,
    field: "target",
    message: expect.stringMatching(/line break/),
  });
  expect(await add(address)).toEqual({ ok: true, secret: null });
  await deliverDue();
  const { endpoints, deliveries, offersMail } = await read();
  expect(offersMail).toBe(true);
  expect(endpoints).toMatchObject([{ kind: "email", host: address, state: "unconfirmed" }]);
  expect(deliveries).toMatchObject([{ type: "confirmation", isSample: false, state: "delivered", canResend: false }]);
  const endpointId = endpoints[0]?.id ?? "";
  for (let again = 0; again < 2; again++) expect(await requestOwnConfirmation(owner, endpointId)).toEqual({ ok: true });
  expect(await requestOwnConfirmation(owner, endpointId)).toMatchObject({
    ok: false,
    message: expect.stringMatching(/3 confirmation emails/),
  });
  expect(await requestOwnConfirmation({ ...owner, isFrozen: true }, endpointId)).toMatchObject({ ok: false });
});

test("opening the link changes nothing; its button confirms, and the page says so", async () => {
  await add(address);
  await deliverDue();
  const token = lastToken("Confirm this address");
  for (let opened = 0; opened < 2; opened++) expect(await readConfirmPage(token)).toMatchObject({ action: "Confirm address" });
  expect((await read()).endpoints).toMatchObject([{ state: "unconfirmed" }]);
  expect(await confirmByLink(token)).toEqual({ title: "Address confirmed", text: `${address} now receives alerts.`, action: null });
  expect((await read()).endpoints).toMatchObject([{ state: "active" }]);
  expect(await readConfirmPage("nonsense")).toMatchObject({ title: "This link does not work", action: null });
});

test("an address that rests after a mail is shown as active", async () => {
  const { endpointId } = await openConfirmed();
  await sendSample(owner.accountId, endpointId, "balance.low");
  await deliverDue();
  expect(mails.received).toHaveLength(2);
  expect((await read()).endpoints).toMatchObject([{ state: "active" }]);
});

test("the page of the other link stops the mails with its button; the owner can only ask again", async () => {
  const { endpointId, stop } = await openConfirmed();
  expect(await readUnsubscribePage(stop)).toMatchObject({ action: "Unsubscribe" });
  expect((await read()).endpoints).toMatchObject([{ state: "active" }]);
  expect(await unsubscribeByLink(stop)).toMatchObject({ title: "You are unsubscribed", action: null });
  expect((await read()).endpoints).toMatchObject([{ state: "unsubscribed" }]);
  expect(await switchOwnEndpoint(owner, endpointId, "on")).toMatchObject({ ok: false });
  expect(await requestOwnConfirmation(owner, endpointId)).toEqual({ ok: true });
  expect((await read()).endpoints).toMatchObject([{ state: "unconfirmed" }]);
});

test("a mail program's button stops the mails with either kind of form; anything else does not", async () => {
  const { stop } = await openConfirmed();
  for (const body of ["", "List-Unsubscribe=Later", `${"x".repeat(2_000)}List-Unsubscribe=One-Click`])
    expect((await post(stop, body)).status).toBe(400);
  expect((await read()).endpoints).toMatchObject([{ state: "active" }]);
  expect((await post(`${stop}x`, "List-Unsubscribe=One-Click")).status).toBe(404);
  const multipart = '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n';
  expect((await post(stop, multipart, "multipart/form-data; boundary=b")).status).toBe(200);
  expect((await read()).endpoints).toMatchObject([{ state: "unsubscribed" }]);
  expect((await post(stop, "List-Unsubscribe=One-Click")).status).toBe(200);
});
