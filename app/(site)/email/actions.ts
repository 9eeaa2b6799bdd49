"use server";

// The actions of the buttons on the pages of a mail's links. Nobody is signed in: the token of the link is the proof.

import { revalidatePath } from "next/cache";
import { confirmByLink, unsubscribeByLink } from "@/lib/console/alerts/mail-links";

export async function confirmAddress(token: unknown): Promise<void> {
  await confirmByLink(String(token));
  revalidatePath("/email/confirm/[token]", "page");
}

export async function stopMails(token: unknown): Promise<void> {
  await unsubscribeByLink(String(token));
  revalidatePath("/email/unsubscribe/[token]", "page");
}
