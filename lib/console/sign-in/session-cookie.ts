// The cookie that carries a session: next-auth's own name, and over https with the prefix that browsers hold to https, to this
// very host and to the path /. Another host of the same domain can neither read nor replace it.

import { publicUrl } from "@/lib/base/public-url";

/** True when people come by https: then cookies never travel otherwise. */
const hasSecureCookies = (): boolean => publicUrl().startsWith("https:");

export const sessionCookieName = (): string => `${hasSecureCookies() ? "__Host-" : ""}next-auth.session-token`;

/** As it is set, with or without a value. */
export const sessionCookieOptions = () => ({ path: "/", httpOnly: true, sameSite: "lax", secure: hasSecureCookies() }) as const;
