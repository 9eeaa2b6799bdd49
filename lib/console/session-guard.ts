// Decides who may run a prompt from a page, and the refusal for others. It has no code of the catalogue, since no API client gets it.

import { log } from "@/lib/base/observe/log";
import { frozenRefusal } from "./answer";
import { findOwnerOf, type Owner } from "./owner";
import { isCsrfToken, ownOrigin } from "./sign-in/same-origin";

export interface PageRefusal {
  status: number;
  reason: string;
  error: string;
}

const refusal = (status: number, reason: string, error: string): PageRefusal => ({ status, reason, error });

export const ownerUnavailable = refusal(503, "unavailable", "Your session cannot be checked right now. Try again.");
export const signedOut = refusal(401, "signed_out", "You are signed out.");
export const foreignOrigin = refusal(403, "foreign_origin", "This request did not come from one of our pages.");
export const stalePage = refusal(403, "stale_page", "This page belongs to another session. Reload it.");

/** The owner of the session in this cookie; null when signed out, and "unavailable" while that cannot be looked up. */
export async function lookUpOwner(token: string | undefined): Promise<Owner | "unavailable" | null> {
  if (!token) return null;
  try {
    return await findOwnerOf(token);
  } catch (error) {
    log().error({ err: error }, "the owner of a page's request could not be looked up");
    return "unavailable";
  }
}

export interface PlaygroundCall {
  origin: string | undefined;
  /** The session cookie's value. */
  token: string | undefined;
  csrfToken: string | undefined;
}

type Admission = { owner: Owner; refusal?: undefined } | { refusal: PageRefusal };

/** Only a page of the owner's own session may run prompts, and only while its wallet is not leaving. */
export async function admitToPlayground({ origin, token, csrfToken }: PlaygroundCall): Promise<Admission> {
  if (origin !== ownOrigin()) return { refusal: foreignOrigin };
  const admission = await admitSession(token);
  if (admission.refusal || isCsrfToken(admission.owner, csrfToken ?? null)) return admission;
  return { refusal: stalePage };
}

/** The same without its page: asked again once a body has arrived, which may have taken minutes. */
export async function admitSession(token: string | undefined): Promise<Admission> {
  const owner = await lookUpOwner(token);
  if (owner === "unavailable") return { refusal: ownerUnavailable };
  if (!owner) return { refusal: signedOut };
  return owner.isLeaving ? { refusal: refusal(403, "leaving", frozenRefusal().message) } : { owner };
}
