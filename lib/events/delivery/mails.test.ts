// What an address gets of what happened, in how many mails, and what becomes of one that fails. The clock is the test's.

import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { dateOf, now, setClock } from "@/lib/base/clock";
import { type AccountId, newAccountId } from "@/lib/base/ids";
import { setSandboxPepper } from "@/lib/base/pepper";
import { pool } from "@/lib/db/pool";
import { prisma } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import type { EventTypeName } from "../catalogue";
import { listDeliveries, sendSample } from "../deliveries";
import { disableEndpoint, listEndpoints } from "../endpoints";
import { numberEvents } from "../outbox";
import { deliverDue, happen, openAddress, openEndpoint } from "../testing/endpoints";
import { linkOf, type MailServer, openMailServer, useMailServer } from "../testing/mail-server";
import { openReceiver } from "../testing/receiver";
import { sendMails } from "./mails";
import { deliverEvents, endDelivery } from "./serve";

await openTestDatabase();
setSandboxPepper("a pepper for tests, of more than 32 characters");

const [SECOND, MINUTE] = [1_000, 60_000];

let mails: MailServer;
let account: AccountId;
let at: number;
let restoreClock: () => void;
beforeEach(async () => {
  mails = await openMailServer();
  useMailServer(mails.server);
  account = newAccountId();
  at = Date.now();
  restoreClock = setClock(() => at);
});
afterEach(async () => {
  restoreClock();
  await mails.close();
});
afterAll(() => restoreClock());

const address = () => `${account.toLowerCase()}@example.com`;
const deliveries = (state?: "pending" | "delivered" | "failed") => listDeliveries(account, { limit: 100, state });

async function record(type: EventTypeName, data: object): Promise<void> {
  await pool().query("SELECT events_record($1, $2, $3, $4)", [account, type, JSON.stringify(data), now()]);
  await numberEvents();
}

test("the first event is sent at once; what happens in the next ten minutes comes in one mail, each with its time", async () => {
  await openAddress(account, address());
  at = Date.UTC(2026, 10, 26, 10, 51);
  await happen(account, ["a"]);
  await deliverDue();
  expect(mails.received).toHaveLength(1);
  expect(mails.received[0]).toMatchObject({
    to: [address()],
    headers: { subject: "PennyPrompt: Wallet a was linked and can now sign in." },
  });
  expect(mails.received[0]?.text).toContain("2026-11-26 10:51 UTC\nWallet a was linked and can now sign in.\n");
  for (const wallet of ["b", "c"]) {
    at += 4 * MINUTE;
    await happen(account, [wallet]);
    await deliverDue();
  }
  expect(mails.received).toHaveLength(1);
  expect(await deliveries("pending")).toHaveLength(2);
  at += 2 * MINUTE;
  await deliverDue();
  expect(mails.received).toHaveLength(2);
  const [, second] = mails.received;
  expect(second?.headers.subject).toBe("PennyPrompt: Wallet b was linked and can now sign in. And 1 more.");
  expect(second?.text).toMatch(/10:55 UTC\nWallet b .*\n\n2026-11-26 10:59 UTC\nWallet c /);
  expect(second?.text).toContain("View all events and deliveries: http://127.0.0.1:3000/alerts");
  expect((await deliveries()).map(({ state, tries }) => [state, tries.length])).toEqual(Array.from({ length: 3 }, () => ["delivered", 1]));
  at += 11 * MINUTE;
  await deliverDue();
  expect(mails.received).toHaveLength(2);
});

test("of fifty events at once one mail lists twenty, what wants attention among them, and counts the others", async () => {
  await openAddress(account, address());
  await happen(
    account,
    Array.from({ length: 49 }, (_, index) => `w${index}`),
  );
  await record("balance.low", { balance: "4980000000", threshold: "5000000000" });
  await deliverDue();
  expect(mails.received).toHaveLength(1);
  const [mail] = mails.received;
  expect(mail?.text.match(/UTC/g)).toHaveLength(20);
  expect(mail?.text).toContain("Your balance is $4.98, below your threshold of $5.00.");
  expect(mail?.text).toContain("\nAnd 30 more.\n");
  expect(mail?.headers.subject).toBe("PennyPrompt: Your balance is $4.98, below your threshold of $5.00. And 49 more.");
  expect(await deliveries("delivered")).toHaveLength(50);
});

test("a name can neither add a header, nor a recipient, nor markup, nor turn the text around", async () => {
  await openAddress(account, address());
  const name = 'x\r\nBcc: evil@example.com\r\n\r\n<img src="https://evil.example/a.png">\u202egnp';
  await record("key.created", { keyId: "key_1", name, last4: "abcd" });
  await deliverDue();
  const [mail] = mails.received;
  expect(mail?.to).toEqual([address()]);
  expect(mail?.raw).not.toMatch(/^bcc:/im);
  expect(mail?.headers.subject).toContain("UTF-8");
  expect(mail?.text).toContain('Key “x Bcc: evil@example.com <img src="https://evil.example/a.png"> gnp” (…abcd) was created.');
  expect(mail?.html).toContain("&lt;img src=&quot;https://evil.example/a.png&quot;&gt;");
  expect(mail?.html).not.toMatch(/<(img|script|link|iframe)/);
  expect(mail?.raw).not.toMatch(/\u202e/u);
});

test("only the chosen kinds are sent, and a sample says that it is one", async () => {
  const endpointId = await openAddress(account, address(), ["key.spike"]);
  await happen(account, ["a"]);
  await deliverDue();
  expect(mails.received).toEqual([]);
  await sendSample(account, endpointId, "key.spike");
  await deliverDue();
  expect(mails.received[0]?.text).toContain("(Sample) Key key_0WAqXk3eB1c2D3e4F5g6 spent $4.10");
});

test("while the mail server is away everything waits, and comes in one mail; the attempts are in the log without its address", async () => {
  await openAddress(account, address());
  useMailServer({ ...mails.server, port: 1 });
  await happen(account, ["a", "b"]);
  await deliverDue();
  expect(await listEndpoints(account)).toMatchObject([{ state: "active", failures: 1, failingSince: dateOf(at), restsUntil: null }]);
  const failed = await deliveries("pending");
  expect(failed).toMatchObject([{ tries: [{ error: "The mail server could not be reached." }] }, { tries: [{}] }]);
  expect(failed[0]?.tryAt).toEqual(failed[1]?.tryAt);
  useMailServer(mails.server);
  at += 6 * SECOND;
  await deliverDue();
  expect(mails.received).toHaveLength(1);
  expect(mails.received[0]?.text).toMatch(/Wallet a .*Wallet b /s);
  expect(await listEndpoints(account)).toMatchObject([{ failures: 0, failingSince: null, restsUntil: dateOf(at + 10 * MINUTE) }]);
  expect((await deliveries("delivered")).map(({ tries }) => tries.length)).toEqual([2, 2]);
});

test("a refused recipient counts as failing, and rests after three failures in a row", async () => {
  await mails.close();
  const refusal = Object.assign(new Error("5.1.1 no such user"), { responseCode: 550 });
  mails = await openMailServer({ onRcptTo: (_address, _session, done) => done(refusal) });
  useMailServer(mails.server);
  await openAddress(account, address());
  for (let attempt = 0; attempt < 3; attempt++) {
    await happen(account, [`${attempt}`]);
    await deliverDue();
    at += SECOND;
  }
  expect(await listEndpoints(account)).toMatchObject([{ state: "active", failures: 3, restsUntil: dateOf(at - SECOND + 30 * SECOND) }]);
  expect((await deliveries())[0]?.tries).toMatchObject([{ status: 550, error: "The mail server refused this address." }]);
});

test("an address that is switched off gets what waited, and that it was turned off, and nothing more", async () => {
  const endpointId = await openAddress(account, address());
  await happen(account, ["a"]);
  await disableEndpoint(account, endpointId);
  await happen(account, ["b"]);
  await deliverDue();
  expect(mails.received).toHaveLength(1);
  expect(mails.received[0]?.text).toMatch(
    /Wallet a .*The email address at example\.com was turned off\. If this was not you, sign out everywhere/s,
  );
  expect(mails.received[0]?.text).not.toContain("Wallet b");
  expect(await deliveries("pending")).toEqual([]);
});

test("a mail whose record was lost is sent again, with all of its events", async () => {
  const endpointId = await openAddress(account, address());
  await happen(account, ["a", "b"]);
  await pool().query("ALTER TABLE delivery ADD CONSTRAINT down CHECK (state <> 'delivered') NOT VALID");
  const endpoint = await prisma().endpoint.findUniqueOrThrow({ where: { id: endpointId } });
  await expect(sendMails(endpoint)).rejects.toThrow();
  await pool().query("ALTER TABLE delivery DROP CONSTRAINT down");
  expect((await deliveries("pending")).map(({ tries }) => tries.length)).toEqual([0, 0]);
  await deliverDue();
  expect(mails.received).toHaveLength(2);
  for (const { text } of mails.received) expect(text).toMatch(/Wallet a .*Wallet b /s);
});

test("a mail server that hangs takes ten places of its own, at most four of one account, and delays no webhook", async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket.on("error", () => undefined)));
  await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
  useMailServer({ ...mails.server, port: (silent.address() as AddressInfo).port });
  const receiver = await openReceiver();
  await openEndpoint(account, receiver.url);
  for (const each of [account, newAccountId(), newAccountId()]) {
    for (let index = 0; index < 5; index++) await openAddress(each, `${index}-${each.toLowerCase()}@example.com`);
    await happen(each, ["a"]);
  }
  await deliverEvents(new AbortController().signal);
  await expect.poll(() => [receiver.received.length, sockets.length]).toEqual([1, 10]);
  for (const socket of sockets) socket.destroy();
  silent.close();
  await endDelivery();
  await receiver.close();
});

test("each mail has a link and a header that stop the mails", async () => {
  await openAddress(account, address());
  await happen(account, ["a"]);
  await deliverDue();
  const [mail] = mails.received;
  if (!mail) throw new Error("no mail came");
  const stop = linkOf(mail, "Unsubscribe this address");
  expect(mail.headers["list-unsubscribe"]).toBe(`<${stop.replace("/email/", "/api/email/")}>`);
  expect(mail.headers["list-unsubscribe-post"]).toBe("List-Unsubscribe=One-Click");
  expect(mail.html).toContain(`<a href="${stop}">Unsubscribe this address</a>`);
});
