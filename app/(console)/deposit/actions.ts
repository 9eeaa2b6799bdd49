"use server";

// What an owner does on the deposit page.

import { revalidatePath } from "next/cache";
import { requireOwner } from "@/app/(console)/require-owner";
import type { Answer } from "@/lib/console/answer";
import { readAvailable } from "@/lib/console/available";
import { askFaucet } from "@/lib/console/faucet";

/** Gives test USDC, in a sandbox; `available` is the balance with it, in nano-USD. */
export async function askForTestMoney(): Promise<Answer<{ available: bigint }>> {
  const owner = await requireOwner();
  const given = await askFaucet(owner);
  if (!given.ok) return given;
  revalidatePath("/deposit");
  return { ok: true, available: await readAvailable(owner.accountId) };
}
