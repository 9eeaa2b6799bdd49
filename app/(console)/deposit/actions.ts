"use server";

// The server actions of the deposit page.

import { faucetForm, requestFaucet } from "@/lib/console/deposit/faucet";
import type { Answer } from "@/lib/console/views/answer";
import { readWish } from "../owner-actions";

/** Sends test USDC to the owner's own address on a chain, in a sandbox; the page's list shows it when it arrives. */
export async function requestTestMoney(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, faucetForm, input);
  if (!wish.ok) return wish;
  const given = await requestFaucet(wish.owner, wish.form.chain);
  return given.ok ? { ok: true } : given;
}
