// The operator's mail server: one mail, one connection, and an outcome that an owner may read. Neither addresses nor the server's own words
// go to the log or to an owner: they may hold both a login and somebody else's address.

import type { NodemailerError } from "nodemailer";
import { config } from "@/lib/base/config";
import type { SmtpServer } from "@/lib/base/mail";
import { log } from "@/lib/base/observe/log";
import type { Outcome } from "../delivery/send";
import type { MailText } from "./message";

/** For each step: to connect, for the greeting, and between any two answers. */
const STEP_MS = 15_000;
/** For a whole mail: a server that answers slowly to each step must not hold a place for minutes. */
const MAIL_MS = 30_000;

export const ADDRESS_REFUSED = "The mail server refused this address.";

export interface Mail extends MailText {
  to: string;
  /** Where a mail program posts to stop the mails. */
  oneClickUrl: string;
}

/** Sends a mail. It is not ended by a stop of the service: nobody could tell afterwards whether it was taken. */
export async function sendMail({ to, oneClickUrl, subject, text, html }: Mail, mailMs = MAIL_MS): Promise<Outcome> {
  const { MAIL_FROM: from, SMTP_URL: server } = config();
  if (!from || !server)
    return { isDelivered: false, error: "Email is not set up on this service. Its operator can set MAIL_FROM and SMTP_URL." };
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), mailMs);
  const transport = await openTransport(server);
  try {
    const { response } = await transport.sendMail({
      from,
      to: { name: "", address: to },
      envelope: { from: from.address, to: [to] },
      subject,
      text,
      html,
      headers: {
        "Auto-Submitted": "auto-generated",
        "List-Unsubscribe": { prepared: true, foldLines: false, value: `<${oneClickUrl}>` },
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      },
      disableFileAccess: true,
      disableUrlAccess: true,
      signal: late.signal,
    });
    return { isDelivered: true, status: Number(response.slice(0, 3)) };
  } catch (error) {
    return readFailure(error as NodemailerError);
  } finally {
    clearTimeout(timer);
    transport.close();
  }
}

async function openTransport({ host, port, tls, login }: SmtpServer) {
  // Only a process that sends a mail loads it.
  const { createTransport } = await import("nodemailer");
  const isBeside = config().MODE === "sandbox" && /^(localhost|::1|127(\.\d{1,3}){3})$/.test(host);
  return createTransport({
    host,
    port,
    secure: tls === "implicit",
    requireTLS: !isBeside,
    ignoreTLS: isBeside,
    ...(login && { auth: { user: login.user, pass: login.password } }),
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    dnsTimeout: STEP_MS,
    socketCloseTimeout: 0,
  });
}

function readFailure({ code, originalCode, responseCode, command }: NodemailerError): Outcome {
  const status = responseCode === undefined ? {} : { status: responseCode };
  if (command === "RCPT TO" && responseCode !== undefined) {
    const isRefused = responseCode >= 500;
    return { isDelivered: false, ...status, error: isRefused ? ADDRESS_REFUSED : "The mail server asked us to try again later." };
  }
  log().warn({ code, originalCode, responseCode, command }, "the mail server did not take a mail; check SMTP_URL and MAIL_FROM");
  if (code === "ETIMEDOUT" || code === "EABORT") return { isDelivered: false, ...status, error: "The mail server did not answer in time." };
  const isAnswered = responseCode !== undefined;
  return {
    isDelivered: false,
    ...status,
    error: isAnswered ? "The mail server rejected the email." : "The mail server could not be reached.",
  };
}
