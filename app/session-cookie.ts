// Whether a request comes with a session, for what only changes a link; whether that session still holds is asked where it counts.

interface CookieJar {
  has: (name: string) => boolean;
}

/** Over http and over https. */
const names = ["next-auth.session-token", "__Host-next-auth.session-token"];

export const hasSessionCookie = (jar: CookieJar): boolean => names.some((name) => jar.has(name));
