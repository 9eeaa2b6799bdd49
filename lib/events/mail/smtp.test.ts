// How a mail reaches the operator's mail server: over TLS or not at all, and without a word of the server's in an owner's log.

import { type AddressInfo, createServer } from "node:net";
import { afterAll, afterEach, expect, onTestFinished, test } from "vitest";
import { log } from "@/lib/base/observe/log";
import { replaceSingleton } from "@/lib/base/process-singleton";
import { createCertificate } from "../testing/certificates";
import { type MailServer, openMailServer, useMailServer } from "../testing/mail-server";
import { type Mail, sendMail } from "./smtp";

const mail: Mail = {
  to: "you@example.com",
  subject: "Hello",
  text: "Hello.",
  html: "<p>Hello.</p>",
  oneClickUrl: "https://x.example/stop",
};
const tls = createCertificate("localhost", new Date(Date.now() + 86_400_000));

let mails: MailServer | undefined;
afterEach(async () => {
  await mails?.close();
  mails = undefined;
});
afterAll(() => useMailServer(null));

/** A public authority's certificate would be needed otherwise. */
function trustAll(): void {
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  onTestFinished(() => void delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
}

test("in live mode a server without TLS gets neither the mail nor the login", async () => {
  const logins: string[] = [];
  mails = await openMailServer({
    onAuth: ({ username = "" }, _session, done) => {
      logins.push(username);
      done(null, { user: username });
    },
  });
  useMailServer(mails.server, "live");
  expect(await sendMail(mail)).toMatchObject({ isDelivered: false, error: "The mail server rejected the email." });
  expect(mails.received).toEqual([]);
  expect(logins).toEqual([]);
});

test("a server whose certificate nobody vouches for gets nothing", async () => {
  mails = await openMailServer({ ...tls, disabledCommands: [] });
  useMailServer({ ...mails.server, host: "localhost" }, "live");
  expect(await sendMail(mail)).toMatchObject({ isDelivered: false });
  expect(mails.received).toEqual([]);
});

test.each(["starttls", "implicit"] as const)("with TLS (%s) the mail arrives encrypted, under the operator's login", async (kind) => {
  trustAll();
  mails = await openMailServer({ ...tls, disabledCommands: [], secure: kind === "implicit" });
  useMailServer({ ...mails.server, host: "localhost", tls: kind }, "live");
  expect(await sendMail(mail)).toEqual({ isDelivered: true, status: 250 });
  expect(mails.received).toMatchObject([{ isSecure: true, user: "pennyprompt", to: ["you@example.com"], text: "Hello.\n" }]);
});

test("a refused login stays between us and the operator: no password, user or address in the outcome or in the log", async () => {
  mails = await openMailServer();
  useMailServer({ ...mails.server, login: { user: "hunter", password: "swordfish" } });
  const lines: string[] = [];
  const before = log();
  replaceSingleton("log", { ...before, warn: (...line: unknown[]) => void lines.push(JSON.stringify(line)) });
  onTestFinished(() => replaceSingleton("log", before));
  expect(await sendMail(mail)).toEqual({ isDelivered: false, status: 535, error: "The mail server rejected the email." });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('"command":"AUTH PLAIN"');
  expect(lines[0]).not.toMatch(/swordfish|hunter|you@example/);
});

test.each(["before its greeting", "at each step"])("a server that is slow %s is cut off", async (when) => {
  const dribbling = createServer((socket) => {
    const timer = setInterval(() => socket.write("250-wait\r\n"), 5);
    socket.on("error", () => undefined).on("close", () => clearInterval(timer));
    if (when === "at each step") socket.write("220 slow\r\n");
  });
  await new Promise<void>((done) => dribbling.listen(0, "127.0.0.1", done));
  onTestFinished(() => void dribbling.close());
  useMailServer({ host: "127.0.0.1", port: (dribbling.address() as AddressInfo).port, tls: "starttls", login: null });
  expect(await sendMail(mail, 100)).toEqual({ isDelivered: false, error: "The mail server did not answer in time." });
});

test("without settings nothing is sent, and the outcome names them", async () => {
  useMailServer(null);
  expect(await sendMail(mail)).toMatchObject({ isDelivered: false, error: expect.stringContaining("MAIL_FROM and SMTP_URL") });
});
