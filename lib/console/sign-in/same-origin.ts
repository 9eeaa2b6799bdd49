// Whether a request comes from our own pages: protects against other sites that send a person's browser here with their cookies.

import { createHmac } from "node:crypto";
import { sessionSecret } from "@/lib/access/session-secret";
import { publicUrl } from "@/lib/base/public-url";
import { isSameText } from "@/lib/base/same-text";
import type { Owner } from "../owner";

/** The origin of our own pages. */
export const ownOrigin = (): string => new URL(publicUrl()).origin;

/** Host and port of our own pages: a wallet's text names them, and the wallet compares them with the page's. */
export const ownDomain = (): string => new URL(publicUrl()).host;

/** Whether the Origin header is ours. Every browser sends it with a POST; a request without it is refused. */
export const isSameOrigin = (request: Request): boolean => request.headers.get("origin") === ownOrigin();

/**
 * Whether a GET may come from our own page. Browsers send Sec-Fetch-Site, but over http not to every host; without these headers,
 * another site's page could not read the answer anyway.
 */
export const isFromOwnPage = ({ headers }: Request): boolean =>
  ["same-origin", null].includes(headers.get("sec-fetch-site")) && [ownOrigin(), null].includes(headers.get("origin"));

/** The token that a page of this session sends in a header, where neither a form nor an action protects the request. */
export const csrfToken = ({ sessionId }: Owner): string =>
  createHmac("sha256", sessionSecret()).update(`csrf ${sessionId}`).digest("base64url");

/** Whether `token` is the token of the owner's own session. */
export const isCsrfToken = (owner: Owner, token: string | null): boolean => isSameText(token ?? "", csrfToken(owner));
