// How an e-mail address, the sender of our mails and the operator's mail server are written. Whatever passes here stands in a mail's
// headers and in SMTP commands as it is, so nothing passes that could end a line or name a second recipient.

import { z } from "zod";
import { countCharacters, textLimits } from "./typed/text-limits";

const MAX_LOCAL_PART = 64;
/** Characters that end a line somewhere, or are not seen. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const localPart = (address: string): string => address.slice(0, address.lastIndexOf("@"));

/** One plain address. The part before the @ stays as it was written, its domain becomes lower case. */
export const mailAddress = z
  .string()
  .refine((text) => !INVISIBLE.test(text), {
    error: "The address contains a line break or another invisible character. Type it again.",
    abort: true,
  })
  .transform((text) => text.trim())
  .refine((text) => text !== "", { error: "Enter an email address, like you@example.com.", abort: true })
  .refine((text) => !/[,;]/.test(text) && text.split("@").length < 3, { error: "Enter one address only.", abort: true })
  .refine((text) => !/[<>"()\s]/.test(text), { error: "Enter only the address, without a name, quotes or spaces.", abort: true })
  .refine((text) => countCharacters(text) <= textLimits.mailAddress.max && localPart(text).length <= MAX_LOCAL_PART, {
    error: `The address is too long: at most ${MAX_LOCAL_PART} characters before the @, and ${textLimits.mailAddress.max} in all.`,
    abort: true,
  })
  .pipe(z.email({ error: "Enter a valid email address." }))
  .transform((text) => `${localPart(text)}${text.slice(text.lastIndexOf("@")).toLowerCase()}`);

export interface MailSender {
  /** Empty without one. */
  name: string;
  address: string;
}

const senderHelp = "write an address, like alerts@example.com, or a name of letters and digits with it: Example <alerts@example.com>";

/** `alerts@example.com`, or `Example Alerts <alerts@example.com>`. */
export const mailSender = z.string().transform((text, context): MailSender => {
  const [, name = "", written = text] = /^([\p{L}\p{N} .&'-]{1,60}) <([^<>]+)>$/u.exec(text) ?? [];
  const address = mailAddress.safeParse(written);
  if (address.success) return { name: name.trim(), address: address.data };
  context.addIssue({ code: "custom", message: senderHelp });
  return z.NEVER;
});

export interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the first byte, or by STARTTLS. */
  tls: "implicit" | "starttls";
  login: { user: string; password: string } | null;
}

const serverHelp =
  "write smtps://user:password@host:465, or smtp://user:password@host:587 for STARTTLS; special characters of the password as %40 for @";

const ports = { implicit: 465, starttls: 587 };

/** smtps://user:password@host:465 or smtp://user:password@host:587. */
export const smtpServer = z.string().transform((text, context): SmtpServer => {
  const server = readServer(text);
  if (server) return server;
  context.addIssue({ code: "custom", message: serverHelp });
  return z.NEVER;
});

function readServer(text: string): SmtpServer | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === "") return null;
  if (url.search || url.hash || !["", "/"].includes(url.pathname)) return null;
  const tls = url.protocol === "smtps:" ? "implicit" : "starttls";
  const [user, password] = [decode(url.username), decode(url.password)];
  if (user === null || password === null || (user === "") !== (password === "")) return null;
  const port = url.port === "" ? ports[tls] : Number(url.port);
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port, tls, login: user === "" ? null : { user, password } };
}

function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null; // a % that begins no character
  }
}
