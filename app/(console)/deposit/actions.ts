"use server";

// The server actions of the deposit page.

import { faucetForm, requestFaucet } from "@/lib/console/deposit/faucet";
import type { Answer } from "@/lib/console/views/answer";
import { readWish } from "../owner-actions";

/** Sends test USDC on a chain, in a sandbox: to the owner's deposit address, or to a wallet in their browser. */
export async function requestTestMoney(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, faucetForm, input);
  if (!wish.ok) return wish;
  const given = await requestFaucet(wish.owner, wish.form.chain, wish.form.wallet);
  return given.ok ? { ok: true } : given;
}
