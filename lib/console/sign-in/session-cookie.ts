// The session cookie: next-auth's own name, and over https with the prefix that makes browsers bind it to https, to this exact host
// and to the path /. Another host of the same domain can neither read nor replace it.

import { publicUrl } from "@/lib/base/public-url";

/** True when the service is reached by https: then cookies never travel unencrypted. */
const hasSecureCookies = (): boolean => publicUrl().startsWith("https:");

export const sessionCookieName = (): string => `${hasSecureCookies() ? "__Host-" : ""}next-auth.session-token`;

/** The options for setting the cookie, with or without a value. */
export const sessionCookieOptions = () => ({ path: "/", httpOnly: true, sameSite: "lax", secure: hasSecureCookies() }) as const;
