// The sign-in check of route handlers called by pages of the signed-in area, and its refusals.

import type { NextRequest } from "next/server";
import { log } from "@/lib/base/observe/log";
import { findOwnerOf, type Owner } from "@/lib/console/owner";
import { sessionCookieName } from "@/lib/console/sign-in/session-cookie";

export interface SignedIn {
  owner: Owner;
  /** The cookie's value. */
  token: string;
}

/** The request's signed-in owner; null when signed out, and "unavailable" while that cannot be looked up. */
export async function findSignedIn(request: NextRequest): Promise<SignedIn | "unavailable" | null> {
  const token = request.cookies.get(sessionCookieName())?.value;
  if (!token) return null;
  try {
    const owner = await findOwnerOf(token);
    return owner && { owner, token };
  } catch (error) {
    log().error({ err: error }, "the owner of a page's request could not be looked up");
    return "unavailable";
  }
}

/** The same, or the refusal. */
export async function readOwner(request: NextRequest): Promise<SignedIn | Response> {
  const found = await findSignedIn(request);
  if (found === "unavailable") return ownerUnavailable();
  return found ?? signedOut();
}

/** A refusal before anything else is done; it has no code of the catalogue, since no API client gets it. */
export const refusal = (status: number, reason: string, error: string): Response =>
  Response.json({ error, reason }, { status, headers: { "cache-control": "no-store" } });

export const ownerUnavailable = (): Response => refusal(503, "unavailable", "Your session cannot be checked right now. Try again.");
export const signedOut = (): Response => refusal(401, "signed_out", "You are signed out.");
export const foreignOrigin = (): Response => refusal(403, "foreign_origin", "This did not come from a page of this service.");
export const stalePage = (): Response => refusal(403, "stale_page", "This page belongs to another session.");
