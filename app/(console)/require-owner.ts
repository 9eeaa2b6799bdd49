// The sign-in check of the signed-in area's pages.

import { headers } from "next/headers";
import { redirect } from "next/navigation";
import type { Owner } from "@/lib/console/owner";
import { findOwner } from "@/lib/console/request-owner";

/** The signed-in owner; without a session it redirects to sign-in, and back afterwards. */
export async function requireOwner(): Promise<Owner> {
  const owner = await findOwner();
  if (owner) return owner;
  const requested = new URL((await headers()).get("x-page-path") ?? "/", "http://page");
  requested.searchParams.delete("_rsc"); // Next's own, on client-side navigation
  redirect(`/connect?next=${encodeURIComponent(requested.pathname + requested.search)}`);
}
