// The texts of our mails: plain, and the same as simple HTML without images, scripts or tracking. Names that an owner wrote stand in the
// sentences, so each line is cut and freed of characters that could end a header or turn the text around.

import { config } from "@/lib/base/config";
import { publicUrl } from "@/lib/base/public-url";
import { lineOf } from "../bodies";
import type { AccountEvent } from "../outbox";

export interface MailText {
  subject: string;
  text: string;
  html: string;
}

const MAX_LINE = 300;
const MAX_SUBJECT = 120;

/** The mail that asks for a confirmation. It holds nothing that its sender has written: it may reach somebody who never heard of us. */
export function confirmationMail(confirmUrl: string, unsubscribeUrl: string): MailText {
  const { SERVICE_NAME } = config();
  return compose(`${SERVICE_NAME}: confirm your email address`, [
    { text: `Someone asked ${SERVICE_NAME} to send account alerts to this address.` },
    { text: "If this was you, confirm the address within 24 hours:" },
    { text: "Confirm this address", url: confirmUrl },
    { text: "If this was not you, ignore this email. We do not send alerts to unconfirmed addresses." },
    { text: "Unsubscribe", url: unsubscribeUrl },
  ]);
}

/** One mail of several events. `more`: as many others are not listed. */
export function alertMail(events: readonly AccountEvent[], { more, unsubscribeUrl }: { more: number; unsubscribeUrl: string }): MailText {
  const listed = events.toSorted((one, other) => one.at.getTime() - other.at.getTime());
  const [first] = urgentFirst(listed);
  const beside = events.length + more - 1;
  const subject = `${config().SERVICE_NAME}: ${first ? cut(textOfEvent(first), MAX_SUBJECT) : ""}${beside > 0 ? ` And ${beside} more.` : ""}`;
  return compose(subject, [
    ...listed.map((event) => ({ text: textOfEvent(event), at: event.at })),
    ...(more > 0 ? [{ text: `And ${more} more.` }] : []),
    { text: "View all events and deliveries", url: `${publicUrl()}/alerts` },
    { text: "Unsubscribe this address", url: unsubscribeUrl },
  ]);
}

/** Somebody is being shut out: however many others are brought about beside them, these are listed. */
const isGrave = (type: string): boolean => /^account\.|^wallet\.(leaving|unlinked)$/.test(type);

/** These want somebody to act: they are listed even when there is no room for all. */
const isUrgent = (type: string): boolean => /^(balance|endpoint)\.|^key\.(spike$|paused$|cap_)|\.(failed|reversed)$/.test(type);

const rankOf = ({ type }: { type: string }): number => (isGrave(type) ? 2 : Number(isUrgent(type)));

export const urgentFirst = <Typed extends { type: string }>(items: readonly Typed[]): Typed[] =>
  items.toSorted((one, other) => rankOf(other) - rankOf(one));

const textOfEvent = (event: AccountEvent): string => cut(plain(lineOf(event)), MAX_LINE);

/** On one line, of characters that are seen: no control characters, and none that change the direction of writing. */
const plain = (text: string): string => text.replace(/[\p{C}\p{Z}]+/gu, " ").trim();

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`);

interface Paragraph {
  text: string;
  /** The text is a link to it. */
  url?: string;
  /** When it happened. */
  at?: Date;
}

/** UTC, since nobody told us where the reader is. */
const timeText = (at: Date): string => `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;

const compose = (subject: string, paragraphs: readonly Paragraph[]): MailText => ({
  subject: plain(subject),
  text: `${paragraphs.map(textOf).join("\n\n")}\n`,
  html:
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title></head>` +
    `<body style="font:16px/1.5 sans-serif;max-width:36em;padding:1em">${paragraphs.map(htmlOf).join("")}</body></html>\n`,
});

const textOf = ({ text, url, at }: Paragraph): string => [at && timeText(at), url ? `${text}: ${url}` : text].filter(Boolean).join("\n");

function htmlOf({ text, url, at }: Paragraph): string {
  const words = url ? `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>` : escapeHtml(text);
  return `<p>${at ? `<small>${timeText(at)}</small><br>` : ""}${words}</p>`;
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);
