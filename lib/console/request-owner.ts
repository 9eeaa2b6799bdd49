// The signed-in owner of Next's own request.

import { cookies } from "next/headers";
import { findOwnerOf, type Owner } from "./owner";
import { sessionCookieName } from "./sign-in/session-cookie";

/** The owner of the session in the request's cookie, or null; for pages, actions and route handlers. */
export async function findOwner(): Promise<Owner | null> {
  const token = (await cookies()).get(sessionCookieName())?.value;
  return token ? findOwnerOf(token) : null;
}
