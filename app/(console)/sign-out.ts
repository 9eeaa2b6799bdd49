"use server";

// Ends the session of this browser, here and in the database.

import { redirect } from "next/navigation";
import { walletForm } from "@/lib/console/settings-form";
import { isLinked } from "@/lib/console/sign-in/link-wallet";
import { endOwnSession } from "@/lib/console/sign-in/sign-out";
import { readWish } from "./owner-actions";

export async function signOut(): Promise<void> {
  await endOwnSession();
  redirect("/connect");
}

/** The browser's wallet shows another account. It may have been linked since the page was rendered; then nothing changes. */
export async function signOutUnlessLinked(sessionId: unknown, wallet: unknown): Promise<void> {
  const wish = await readWish(sessionId, walletForm, wallet);
  if (!wish.ok || (await isLinked(wish.owner, wish.form))) return;
  await endOwnSession();
  redirect("/connect?ended=switched");
}
