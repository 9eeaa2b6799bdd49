// The sign-in check of route handlers called by pages of the signed-in area, and its refusals.

import type { NextRequest } from "next/server";
import type { Owner } from "@/lib/console/owner";
import { lookUpOwner, type PageRefusal } from "@/lib/console/session-guard";
import { sessionCookieName } from "@/lib/console/sign-in/session-cookie";

export interface SignedIn {
  owner: Owner;
  /** The cookie's value. */
  token: string;
}

export const readToken = (request: NextRequest): string | undefined => request.cookies.get(sessionCookieName())?.value;

/** The request's signed-in owner; null when signed out, and "unavailable" while that cannot be looked up. */
export async function findSignedIn(request: NextRequest): Promise<SignedIn | "unavailable" | null> {
  const token = readToken(request);
  const owner = await lookUpOwner(token);
  return owner === "unavailable" ? owner : owner && token !== undefined ? { owner, token } : null;
}

/** A refusal before anything else is done. */
export const refusalResponse = ({ status, ...body }: PageRefusal): Response =>
  Response.json({ error: body.error, reason: body.reason }, { status, headers: { "cache-control": "no-store" } });
