// An address gets nothing but a question until its reader has confirmed it, and nobody can be flooded with questions.

import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { dateOf, setClock } from "@/lib/base/clock";
import { type AccountId, newAccountId } from "@/lib/base/ids";
import { setSandboxPepper } from "@/lib/base/pepper";
import { prisma } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { listDeliveries, resendDelivery, resendFailed, sendSample } from "../deliveries";
import { createEndpoint, deleteEndpoint, disableEndpoint, enableEndpoint, listEndpoints } from "../endpoints";
import { listNewestEvents, numberEvents } from "../outbox";
import { deliverDue, happen } from "../testing/endpoints";
import { linkOf, type MailServer, openMailServer, type ReceivedMail, useMailServer } from "../testing/mail-server";
import { confirmAddress, deleteOldConfirmations, readConfirmLink, requestAgain } from "./confirmations";
import { readUnsubscribeLink, unsubscribe } from "./unsubscribe";

await openTestDatabase();
setSandboxPepper("a pepper for tests, of more than 32 characters");

const HOUR = 3_600_000;

let mails: MailServer;
let account: AccountId;
let address: string;
let at: number;
let restoreClock: () => void;
beforeEach(async () => {
  mails = await openMailServer();
  useMailServer(mails.server);
  await prisma().endpoint.deleteMany({}); // a round delivers for all accounts
  account = newAccountId();
  address = `${account.toLowerCase()}@example.com`;
  at = Date.now();
  restoreClock = setClock(() => at);
});
afterEach(async () => {
  restoreClock();
  await mails.close();
});
afterAll(() => restoreClock());

const add = (accountId: AccountId, target: string) => createEndpoint({ accountId, kind: "email", target, types: null });
const stateOf = async (endpointId: string) => (await listEndpoints(account)).find(({ id }) => id === endpointId)?.state;
const tokenOf = (url: string) => url.slice(url.lastIndexOf("/") + 1);

async function addAndServe(target = address): Promise<{ endpointId: string; mail: ReceivedMail; token: string }> {
  const made = await add(account, target);
  if (!made.ok) throw new Error(made.problem);
  await deliverDue();
  const mail = mails.received.at(-1);
  if (!mail) throw new Error("no mail came");
  return { endpointId: made.endpointId, mail, token: tokenOf(linkOf(mail, "Confirm this address")) };
}

test("without a mail server no address is taken, and the owner reads what the operator has to do", async () => {
  useMailServer(null);
  expect(await add(account, address)).toEqual({ ok: false, problem: expect.stringMatching(/operator can set MAIL_FROM and SMTP_URL/) });
  expect(await listEndpoints(account)).toEqual([]);
});

test("an address is asked once, and gets nothing else until the link in its mail was used", async () => {
  const { endpointId, mail, token } = await addAndServe();
  expect(mails.received).toHaveLength(1);
  expect(mail).toMatchObject({ from: "alerts@pennyprompt.example", to: [address], user: "pennyprompt" });
  expect(mail.headers).toMatchObject({
    to: address,
    from: "Penny Alerts <alerts@pennyprompt.example>",
    subject: "PennyPrompt: confirm your email address",
    "auto-submitted": "auto-generated",
    "list-unsubscribe-post": "List-Unsubscribe=One-Click",
  });
  expect(await sendSample(account, endpointId, "balance.low")).toBe("off");
  await happen(account, ["a"]);
  await deliverDue();
  expect(mails.received).toHaveLength(1);
  expect(await readConfirmLink(token)).toEqual({ state: "open", address });
  expect(await stateOf(endpointId)).toBe("unconfirmed");
  expect(await confirmAddress(token)).toEqual({ state: "done", address });
  expect(await stateOf(endpointId)).toBe("active");
  await happen(account, ["b"]);
  await deliverDue();
  expect(mails.received).toHaveLength(2);
  expect(mails.received[1]?.text).toContain("Wallet b was linked and can now sign in.");
});

test("a link that was used, is late, belongs to another endpoint or is made up confirms nothing", async () => {
  const first = await addAndServe();
  const other = await addAndServe(`other-${address}`);
  const [, until, signature] = first.token.split(".");
  for (const token of [
    `${other.endpointId}.${until}.${signature}`,
    `${first.endpointId}.9999999999.${signature}`,
    first.token.slice(0, -1),
    "",
  ])
    expect(await confirmAddress(token)).toEqual({ state: "unknown", address: null });
  expect(await confirmAddress(tokenOf(linkOf(first.mail, "Unsubscribe")))).toMatchObject({ state: "unknown" });
  expect(await stateOf(other.endpointId)).toBe("unconfirmed");
  expect(await confirmAddress(first.token)).toMatchObject({ state: "done" });
  expect(await confirmAddress(first.token)).toMatchObject({ state: "done" });
  await disableEndpoint(account, first.endpointId);
  expect(await confirmAddress(first.token)).toMatchObject({ state: "off" });
  expect(await stateOf(first.endpointId)).toBe("disabled");
  at += 24 * HOUR + 1_000;
  expect(await confirmAddress(other.token)).toEqual({ state: "late", address: `other-${address}` });
  expect(await stateOf(other.endpointId)).toBe("unconfirmed");
  await deleteEndpoint(account, other.endpointId);
  expect(await confirmAddress(other.token)).toMatchObject({ state: "unknown" });
});

test("neither the log of deliveries nor a resend gives the account the link", async () => {
  const { endpointId, token } = await addAndServe();
  const [question] = await listDeliveries(account, { limit: 10 });
  expect(question).toMatchObject({ type: "confirmation", state: "delivered" });
  expect(JSON.stringify(question, (_, value) => (typeof value === "bigint" ? `${value}` : value))).not.toContain(token.split(".")[2]);
  await confirmAddress(token);
  expect(await resendDelivery(account, question?.id ?? "")).toBe("unknown");
  expect(await resendFailed(account, endpointId, dateOf(0))).toBe(0);
});

test("an address gets three questions a day, whoever asks and however the address is spelled", async () => {
  const strangers = [newAccountId(), newAccountId(), newAccountId(), newAccountId()];
  const spelled = [address, address.toUpperCase(), address.replace("@", "+x@"), address.replace("_", "._")];
  const made = [];
  for (const [index, stranger] of strangers.entries()) made.push(await add(stranger, spelled[index] ?? ""));
  expect(made.map(({ ok }) => ok)).toEqual([true, true, true, false]);
  expect(made[3]).toMatchObject({ problem: expect.stringMatching(/sent 3 confirmation emails to this address in the last 24 hours/) });
  at += 24 * HOUR + 1_000;
  await deleteOldConfirmations();
  expect(await add(account, address)).toMatchObject({ ok: true });
});

test("an account asks ten times a day at most, however often it deletes the endpoint", async () => {
  const outcomes = [];
  for (let index = 0; index < 11; index++) {
    const made = await add(account, `${index}-${address}`);
    outcomes.push(made.ok);
    if (made.ok) await deleteEndpoint(account, made.endpointId);
    else expect(made.problem).toMatch(/10 confirmation emails in the last 24 hours/);
  }
  expect(outcomes.filter(Boolean)).toHaveLength(10);
});

test("requests at once do not exceed the limit of an address", async () => {
  const made = await Promise.all(Array.from({ length: 6 }, () => add(newAccountId(), address)));
  expect(made.filter(({ ok }) => ok)).toHaveLength(3);
});

test("an address that is there already is not asked twice; the owner can ask again", async () => {
  const { endpointId } = await addAndServe();
  expect(await add(account, address)).toEqual({ ok: false, problem: "You already added this address." });
  expect(await requestAgain(newAccountId(), endpointId)).toMatchObject({ ok: false });
  expect(await requestAgain(account, endpointId)).toEqual({ ok: true });
  await deliverDue();
  expect(mails.received).toHaveLength(2);
  const [, again] = mails.received;
  expect(await confirmAddress(tokenOf(linkOf(again as ReceivedMail, "Confirm this address")))).toMatchObject({ state: "done" });
  expect(await requestAgain(account, endpointId)).toMatchObject({
    ok: false,
    problem: expect.stringMatching(/does not need to be confirmed/),
  });
});

test("a link of a mail stops the mails; only a new confirmation starts them again, and links from before are worth nothing", async () => {
  const { endpointId, mail, token } = await addAndServe();
  await confirmAddress(token);
  const stop = tokenOf(linkOf(mail, "Unsubscribe"));
  expect(mail.headers["list-unsubscribe"]).toBe(`<http://127.0.0.1:3000/api/email/unsubscribe/${stop}>`);
  expect(await readUnsubscribeLink(stop)).toEqual({ state: "on", address });
  expect(await readUnsubscribeLink(`${endpointId}.${"a".repeat(43)}`)).toEqual({ state: "unknown", address: null });
  expect(await unsubscribe(`${endpointId}.${"a".repeat(43)}`)).toEqual({ state: "unknown", address: null });
  await happen(account, ["a"]);
  expect(await unsubscribe(stop)).toEqual({ state: "off", address });
  expect(await unsubscribe(stop)).toEqual({ state: "off", address });
  expect(await listEndpoints(account)).toMatchObject([{ state: "disabled", disabledReason: "unsubscribed" }]);
  await deliverDue();
  expect(mails.received).toHaveLength(1);
  await numberEvents();
  expect((await listNewestEvents(account, { limit: 10 })).filter(({ type }) => type === "endpoint.disabled")).toMatchObject([
    { data: { endpointId, kind: "email", host: "example.com", reason: "unsubscribed" } },
  ]);
  expect(await enableEndpoint(account, endpointId)).toBe(false);
  expect(await requestAgain(account, endpointId)).toEqual({ ok: true });
  expect(await confirmAddress(token)).toMatchObject({ state: "unknown" });
  expect(await stateOf(endpointId)).toBe("unconfirmed");
});

test("who did not want to be asked is not asked again by anybody, also after the endpoint was deleted", async () => {
  const { endpointId, mail } = await addAndServe();
  const stop = tokenOf(linkOf(mail, "Unsubscribe"));
  await deleteEndpoint(account, endpointId);
  expect(await readUnsubscribeLink(stop)).toEqual({ state: "on", address: null });
  expect(await unsubscribe(stop)).toEqual({ state: "off", address: null });
  expect(await add(newAccountId(), address)).toEqual({
    ok: false,
    problem: expect.stringMatching(/The recipient at this address unsubscribed/),
  });
  at += 29 * 24 * HOUR;
  await deleteOldConfirmations();
  expect(await add(newAccountId(), address)).toMatchObject({ ok: false });
  at += 2 * 24 * HOUR;
  await deleteOldConfirmations();
  expect(await unsubscribe(stop)).toEqual({ state: "unknown", address: null });
  expect(await add(newAccountId(), address)).toMatchObject({ ok: true });
});

test("a refused address is not asked again; a mail server that is away is", async () => {
  await mails.close();
  mails = await openMailServer({
    onRcptTo: (_address, _session, done) => done(Object.assign(new Error("no such user"), { responseCode: 550 })),
  });
  useMailServer(mails.server);
  const refused = await add(account, address);
  await deliverDue();
  useMailServer({ ...mails.server, port: 1 });
  const away = await add(account, `away-${address}`);
  if (!refused.ok || !away.ok) throw new Error("not made");
  await deliverDue();
  const deliveries = await listDeliveries(account, { limit: 10 });
  const find = (endpointId: string) => deliveries.find((one) => one.endpointId === endpointId);
  expect(find(refused.endpointId)).toMatchObject({
    state: "failed",
    tries: [{ status: 550, error: "The mail server refused this address." }],
  });
  expect(find(away.endpointId)).toMatchObject({ state: "pending", tries: [{ error: "The mail server could not be reached." }] });
});
