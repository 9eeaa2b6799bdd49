// The cookie that carries a session: next-auth's own names, with the prefix that browsers hold to https.

import { publicUrl } from "@/lib/base/public-url";

/** True when people come by https: then cookies never travel otherwise. */
export const hasSecureCookies = (): boolean => publicUrl().startsWith("https:");

export const sessionCookieName = (): string => `${hasSecureCookies() ? "__Secure-" : ""}next-auth.session-token`;
