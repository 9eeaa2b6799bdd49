// Which pages are the same for everybody, and what of a request they depend on.

import type { IncomingMessage } from "node:http";
import { sessionCookieName } from "@/lib/console/sign-in/session-cookie";
import { readCookie } from "../cookie";
import type { PageVariant } from "./page-cache";

/** As in components/site/theme.ts, which a test compares; any other value follows the system. */
export const THEME_COOKIE = "theme";
export const fixedThemes: readonly string[] = ["light", "dark"];

/** Not the pages about this moment (status, reserves), a wallet's (connect) or a link's (email). A query is part of a page's own state. */
const isPublic = (path: string): boolean =>
  path === "/" || path === "/models" || path === "/docs" || /^\/(?:docs|models)\/[\w./-]+$/.test(path);

/** The variant of the page that this request gets; null when it is not the same for everybody, or only a part of a page is asked for. */
export function publicVariant({ method = "GET", url = "/", headers }: IncomingMessage): PageVariant | null {
  if ((method !== "GET" && method !== "HEAD") || !isPublic(url)) return null;
  // The same page as Markdown, which is kept elsewhere: app/(site)/docs/text.
  if (url.endsWith(".md") || headers.accept?.startsWith("text/markdown")) return null;
  // Next answers these with other bodies than a page.
  if (Object.keys(headers).some((name) => name === "rsc" || name.startsWith("next-"))) return null;
  const theme = readCookie(headers.cookie, THEME_COOKIE);
  return {
    path: url,
    theme: theme !== undefined && fixedThemes.includes(theme) ? theme : undefined,
    isSignedIn: readCookie(headers.cookie, sessionCookieName()) !== undefined,
  };
}

/** Cookies that make Next render this variant. No page that is kept looks the session up. */
export function cookieOf({ theme, isSignedIn }: PageVariant): string {
  const cookies = [...(theme ? [`${THEME_COOKIE}=${theme}`] : []), ...(isSignedIn ? [`${sessionCookieName()}=present`] : [])];
  return cookies.join("; ");
}
