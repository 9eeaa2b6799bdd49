// Whether a browser looks signed in. It only changes links; pages that need a session check it.

import { cookies } from "next/headers";

/** Over http and over https. */
const names = ["next-auth.session-token", "__Host-next-auth.session-token"];

export async function hasSessionCookie(): Promise<boolean> {
  const jar = await cookies();
  return names.some((name) => jar.has(name));
}
