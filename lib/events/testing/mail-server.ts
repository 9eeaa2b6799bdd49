// A mail server for tests: a real one on this machine that keeps what it was sent, and refuses what it is told to refuse.

import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { config } from "@/lib/base/config";
import type { SmtpServer } from "@/lib/base/mail";
import { replaceSingleton } from "@/lib/base/process-singleton";

export interface ReceivedMail {
  /** As the SMTP commands named them. */
  from: string;
  to: string[];
  isSecure: boolean;
  user: string | undefined;
  raw: string;
  /** Unfolded, by lower-case name. */
  headers: Readonly<Record<string, string>>;
  text: string;
  html: string;
}

export interface MailServer {
  server: SmtpServer;
  received: ReceivedMail[];
  close: () => Promise<void>;
}

export async function openMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    disabledCommands: ["STARTTLS"],
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      password === "p@ss word" ? done(null, { user: username }) : done(new Error(`wrong: ${username} ${password}`)),
    onData: async (stream, { envelope, secure, user }, done) => {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      const { mailFrom, rcptTo } = envelope;
      const wire = readMail(Buffer.concat(chunks).toString("utf8"));
      const from = mailFrom ? mailFrom.address : "";
      received.push({
        from,
        to: rcptTo.map(({ address }) => address),
        isSecure: secure,
        user: user as string | undefined,
        ...wire,
      });
      done();
    },
    ...options,
  });
  server.on("error", () => undefined); // a client that hangs up
  const listening = server.listen(0, "127.0.0.1");
  await new Promise((done) => listening.once("listening", done));
  const { port } = listening.address() as AddressInfo;
  return {
    server: { host: "127.0.0.1", port, tls: "starttls", login: { user: "pennyprompt", password: "p@ss word" } },
    received,
    close: () => new Promise((done) => server.close(() => done())),
  };
}

/** Lets the process send its mails to this server; null: e-mail is not set up. */
export function useMailServer(server: SmtpServer | null, mode: "sandbox" | "live" = "sandbox"): void {
  const { MAIL_FROM: _from, SMTP_URL: _server, ...others } = config();
  const mail = server && { MAIL_FROM: { name: "Penny Alerts", address: "alerts@pennyprompt.example" }, SMTP_URL: server };
  replaceSingleton("config", { ...others, ...mail, MODE: mode });
}

/** Links of a mail by their words. */
export function linkOf({ text }: ReceivedMail, words: string): string {
  const [, url] = new RegExp(`${words}: (\\S+)`).exec(text) ?? [];
  if (!url) throw new Error(`no link “${words}” in: ${text}`);
  return url;
}

function readMail(raw: string): Pick<ReceivedMail, "raw" | "headers" | "text" | "html"> {
  const { headers, body } = readPart(raw);
  const [, boundary = ""] = /boundary="([^"]+)"/.exec(headers["content-type"] ?? "") ?? [];
  const parts = body.split(`--${boundary}`).map((part) => readPart(part.replace(/^\r\n/, "")));
  const find = (type: string) => {
    const part = parts.find((one) => one.headers["content-type"]?.startsWith(type));
    return part ? decode(part.body, part.headers["content-transfer-encoding"] ?? "7bit") : "";
  };
  return { raw, headers, text: find("text/plain"), html: find("text/html") };
}

function readPart(part: string): { headers: Record<string, string>; body: string } {
  const end = part.indexOf("\r\n\r\n");
  const lines = part
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const headers = lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]);
  return { headers: Object.fromEntries(headers) as Record<string, string>, body: part.slice(end + 4) };
}

function decode(body: string, encoding: string): string {
  if (encoding === "base64") return Buffer.from(body, "base64").toString("utf8");
  if (encoding !== "quoted-printable") return body.replaceAll("\r\n", "\n");
  const bytes = body.replace(/=\r\n/g, "").replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8").replaceAll("\r\n", "\n");
}
