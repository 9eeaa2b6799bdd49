// Pages of the signed-in area begin here.

import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { findOwner, type Owner } from "@/lib/console/owner";

/** Who is signed in; everybody else goes to the page where one signs in, and comes back from there. */
export async function requireOwner(): Promise<Owner> {
  const owner = await findOwner();
  if (owner) return owner;
  const asked = new URL((await headers()).get("x-page-path") ?? "/", "http://page");
  asked.searchParams.delete("_rsc"); // Next's own, when one goes from page to page
  redirect(`/connect?next=${encodeURIComponent(asked.pathname + asked.search)}`);
}
