// The links of our mails. Their tokens follow from the pepper and are stored nowhere; each is good for one endpoint and one purpose.

import { createHmac } from "node:crypto";
import { dateOf } from "@/lib/base/clock";
import { pepper, peppers } from "@/lib/base/pepper";
import { publicUrl } from "@/lib/base/public-url";
import { isSameText } from "@/lib/base/same-text";

/** The values a link is bound to: after an address was taken back and asked again, older links are worth nothing. */
interface Addressed {
  id: string;
  target: string;
  secretNumber: number;
}

const sign = (text: string, under: string): string => createHmac("sha256", under).update(text).digest("base64url");

/** Links of mails that were sent before the operator changed the pepper are ours, too. */
const isSignatureOf = (given: string, text: string): boolean => peppers().some((each) => isSameText(given, sign(text, each)));

const confirmText = ({ id, target, secretNumber }: Addressed, until: string): string =>
  `mail confirm ${id} ${secretNumber} ${until} ${target}`;

/** The page on which the address is confirmed, until `until`. */
export function confirmUrl(endpoint: Addressed, until: Date): string {
  const seconds = Math.floor(until.getTime() / 1_000).toString();
  return `${publicUrl()}/email/confirm/${endpoint.id}.${seconds}.${sign(confirmText(endpoint, seconds), pepper())}`;
}

export interface ConfirmToken {
  endpointId: string;
  until: Date;
  isOf: (endpoint: Addressed) => boolean;
}

/** Null for a token that no link of ours holds. */
export function readConfirmToken(token: string): ConfirmToken | null {
  const [, endpointId, seconds, signature] = /^(end_[0-9A-Za-z]{20})\.(\d{10})\.([\w-]{43})$/.exec(token) ?? [];
  if (!endpointId || !seconds || !signature) return null;
  return {
    endpointId,
    until: dateOf(Number(seconds) * 1_000),
    isOf: (endpoint) => isSignatureOf(signature, confirmText(endpoint, seconds)),
  };
}

const unsubscribeText = (endpointId: string): string => `mail unsubscribe ${endpointId}`;

const unsubscribeToken = (endpointId: string): string => `${endpointId}.${sign(unsubscribeText(endpointId), pepper())}`;

/** The page that stops the mails, for people. It never expires. */
export const unsubscribeUrl = (endpointId: string): string => `${publicUrl()}/email/unsubscribe/${unsubscribeToken(endpointId)}`;

/** Where a mail program posts to stop the mails (RFC 8058). */
export const oneClickUrl = (endpointId: string): string => `${publicUrl()}/api/email/unsubscribe/${unsubscribeToken(endpointId)}`;

/** The endpoint whose mails it stops; null for a token that no link of ours holds. */
export function readUnsubscribeToken(token: string): string | null {
  const [, endpointId, signature] = /^(end_[0-9A-Za-z]{20})\.([\w-]{43})$/.exec(token) ?? [];
  return endpointId && signature && isSignatureOf(signature, unsubscribeText(endpointId)) ? endpointId : null;
}
