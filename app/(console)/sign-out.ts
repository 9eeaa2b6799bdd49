"use server";

// Ends the session of this browser, here and in the database.

import { redirect } from "next/navigation";
import { endOwnSession } from "@/lib/console/sign-out";

export async function signOut(): Promise<void> {
  await endOwnSession();
  redirect("/connect");
}
