// Whether a request comes from our own pages: against other sites that send a person's browser here with their cookies.

import { createHmac, timingSafeEqual } from "node:crypto";
import { sessionSecret } from "@/lib/access/session-secret";
import { publicUrl } from "@/lib/base/public-url";
import type { Owner } from "../owner";

/** The address of our own pages, without a path. */
export const ownOrigin = (): string => new URL(publicUrl()).origin;

/** Host and port of our own pages: what a wallet's text names, and what a wallet compares with the page's. */
export const ownDomain = (): string => new URL(publicUrl()).host;

/** Whether the browser says that a page of ours sent this. Every browser says it of a POST; a request that does not is refused. */
export const isSameOrigin = (request: Request): boolean => request.headers.get("origin") === ownOrigin();

/**
 * Whether a GET may come from a page of ours. Browsers name the sender's site, over http not to every host; what says nothing could
 * not be read by another site's page anyway.
 */
export const isFromOwnPage = ({ headers }: Request): boolean =>
  ["same-origin", null].includes(headers.get("sec-fetch-site")) && [ownOrigin(), null].includes(headers.get("origin"));

/** What a page of this session sends along, in a header, where no form and no action does it for us. */
export const csrfToken = ({ sessionId }: Owner): string =>
  createHmac("sha256", sessionSecret()).update(`csrf ${sessionId}`).digest("base64url");

/** Whether `token` is the one of the owner's own session. */
export function isCsrfToken(owner: Owner, token: string | null): boolean {
  const [given, expected] = [Buffer.from(token ?? ""), Buffer.from(csrfToken(owner))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
