// Signing out: the session of this browser ends, here and in the database.

import { cookies } from "next/headers";
import { endSession } from "@/lib/access/sessions";
import { findOwner } from "../owner";
import { sessionCookieName, sessionCookieOptions } from "./session-cookie";

/** Ends the session of the request's cookie and takes the cookie back; without one it changes nothing. */
export async function endOwnSession(): Promise<void> {
  const owner = await findOwner();
  if (owner) await endSession(owner.accountId, owner.sessionId);
  // With `secure`: browsers ignore whatever would change a cookie named __Host-… without it, its deletion too.
  (await cookies()).set(sessionCookieName(), "", { ...sessionCookieOptions(), maxAge: 0 });
}
