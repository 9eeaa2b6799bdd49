// Pages of the signed-in area begin here.

import { redirect } from "next/navigation";
import { findOwner, type Owner } from "@/lib/console/owner";

/** Who is signed in; everybody else goes to the page where one signs in. */
export async function requireOwner(): Promise<Owner> {
  return (await findOwner()) ?? redirect("/connect");
}
