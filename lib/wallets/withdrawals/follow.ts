// Follows sent payouts through the relay's records: sent, confirmed, final. For a failed or lost one the money goes back or a new attempt
// is made, once it is proved that the old one moved nothing.

import { forEachIsolated } from "@/lib/base/for-each-isolated";
import { isEvmFailure } from "@/lib/chains/evm/failure";
import type { Head } from "@/lib/chains/evm/head";
import { findRelayed, type Relayed } from "@/lib/relay/relayed";
import { failWithdrawal } from "./decisions";
import { endOverdueAttempt, isPastItsTime } from "./pay-base";
import { finishWithdrawal, followAttempt, giveUpAttempt, relayIdOf } from "./steps";
import { type OpenWithdrawal, UNDER_WAY } from "./withdrawal";

/** @param head Base's head; null while it is unknown, and then no attempt on Base is given up */
export async function followAttempts(underWay: readonly OpenWithdrawal[], head: Head | null): Promise<void> {
  const relayed = new Map((await findRelayed(underWay.map(relayIdOf))).map((one) => [one.id, one]));
  await forEachIsolated(underWay, (withdrawal) => follow(withdrawal, relayed.get(relayIdOf(withdrawal)), head), { what: "withdrawal" });
}

async function follow(withdrawal: OpenWithdrawal, relayed: Relayed | undefined, head: Head | null): Promise<void> {
  if (relayed?.state === "succeeded" && relayed.isFinal) {
    await finishWithdrawal(withdrawal, relayed.hash);
    return;
  }
  if (withdrawal.chain === "base" && head && isPastItsTime(withdrawal, head)) {
    await endOverdueAttempt(withdrawal, head, relayed).catch(tryLater);
    return;
  }
  if (!relayed) return;
  if (withdrawal.chain === "solana" && relayed.state === "lost") await giveUpAttempt(withdrawal);
  else if (withdrawal.chain === "solana" && relayed.state === "failed" && relayed.isFinal) {
    await failWithdrawal(withdrawal.id, UNDER_WAY, "The chain rejected the payment.");
  } else if (relayed.state === "succeeded") await followAttempt(withdrawal, "confirmed", relayed.hash);
  else if (relayed.state === "sent" || relayed.state === "failed") await followAttempt(withdrawal, "sent", relayed.hash);
}

function tryLater(error: unknown): void {
  if (!isEvmFailure(error)) throw error;
}
