"use server";

// What an owner does on the deposit page.

import { revalidatePath } from "next/cache";
import { requireOwnerOf } from "@/app/(console)/owner-actions";
import type { Answer } from "@/lib/console/answer";
import { askFaucet } from "@/lib/console/faucet";
import { readAvailable } from "@/lib/console/owner";

/** Gives test USDC, in a sandbox; `available` is the balance with it, in nano-USD. */
export async function askForTestMoney(sessionId: unknown): Promise<Answer<{ available: bigint }>> {
  const asked = await requireOwnerOf(sessionId);
  if (!asked.ok) return asked;
  const given = await askFaucet(asked.owner);
  if (!given.ok) return given;
  revalidatePath("/deposit");
  return { ok: true, available: await readAvailable(asked.owner.accountId) };
}
