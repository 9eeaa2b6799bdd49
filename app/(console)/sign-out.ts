"use server";

// Ends the session of this browser, here and in the database.

import { redirect } from "next/navigation";
import { endSession } from "@/lib/console/owner";

export async function signOut(): Promise<void> {
  await endSession();
  redirect("/connect");
}
