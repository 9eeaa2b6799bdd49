// Signing out: the session of this browser ends, here and in the database.

import { cookies } from "next/headers";
import { endSession } from "@/lib/access/sessions";
import { findOwner } from "../request-owner";
import { sessionCookieName, sessionCookieOptions } from "./session-cookie";

/** Ends the session of the request's cookie and deletes the cookie; without one it changes nothing. */
export async function endOwnSession(): Promise<void> {
  const owner = await findOwner();
  if (owner) await endSession(owner.accountId, owner.sessionId, "signed_out");
  // With `secure`: without it browsers ignore every change to a cookie named __Host-…, even its deletion.
  (await cookies()).set(sessionCookieName(), "", { ...sessionCookieOptions(), maxAge: 0 });
}
