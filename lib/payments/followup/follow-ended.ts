// Follows claims that have ended until their end is final. A credit whose block left the chain for good is taken back; a payment that moved
// after all is credited.

import { now } from "@/lib/base/clock";
import { usdText } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import type { Head } from "@/lib/chains/evm/head";
import { findRelayed, type Relayed } from "@/lib/relay/relayed";
import { listUnfinished, type PaymentClaim, relayIdOf } from "../claims/claim";
import { recordBlock, recordOver, reversePayment } from "../claims/claim-steps";
import { isShown } from "../settlement/settle";
import type { SettledAt } from "../settlement/settlement-strategy";
import { settlementStrategies } from "../settlement/strategies";
import { isGone } from "./confirm-still-included";
import { isExpired } from "./expiry";
import { creditOrEnd, creditShown } from "./follow-open";
import { forEachPayment } from "./for-each-payment";

const MAX_A_ROUND = 1_000;

/** @param head of Base; null while it is not known */
export async function followEnded(head: Head | null): Promise<void> {
  await followAll(await listUnfinished(["paid"], now(), MAX_A_ROUND), (claim, relayed) => followPaid(claim, relayed, head));
  const unpaid = await listUnfinished(["covered", "failed", "reversed"], now(), MAX_A_ROUND);
  await followAll(unpaid, (claim, relayed) => followUnpaid(claim, relayed, head));
}

type Follow = (claim: PaymentClaim, relayed: Relayed | undefined) => Promise<void>;

async function followAll(claims: readonly PaymentClaim[], follow: Follow): Promise<void> {
  const relayed = new Map((await findRelayed(claims.filter(({ isRelayed }) => isRelayed).map(relayIdOf))).map((one) => [one.id, one]));
  await forEachPayment(claims, (claim) => follow(claim, relayed.get(relayIdOf(claim))));
}

async function followPaid(claim: PaymentClaim, relayed: Relayed | undefined, head: Head | null): Promise<void> {
  if (relayed?.state === "succeeded" && relayed.block !== null) {
    return recordNews(claim, { transaction: relayed.hash, block: relayed.block }, relayed.isFinal);
  }
  // It waits again, or its block without effect may still leave the chain.
  if (relayed && !relayed.isFinal) return;
  if (!relayed && !isFinalThere(claim, head)) return;
  const strategy = settlementStrategies[claim.scheme];
  const found = await strategy.find(claim, "final");
  if (found) {
    if (await isShown(claim, found)) await recordNews(claim, found, true);
    return;
  }
  // It is in another block by now, which is not final yet.
  if (await strategy.find(claim, "latest")) return;
  if (await isGone(claim, head)) await reverse(claim);
}

/** For a transaction that is not our relay's: whether the block that it was found in is final. */
const isFinalThere = ({ scheme, block }: PaymentClaim, head: Head | null): boolean =>
  scheme === "exact_svm" || (head !== null && head.doubt === null && block !== null && head.finalized.number >= block);

async function recordNews(claim: PaymentClaim, at: SettledAt, isFinal: boolean): Promise<void> {
  if (isFinal || claim.transaction !== at.transaction || claim.block !== at.block) await recordBlock(claim, at, isFinal);
}

async function reverse({ id, scheme, amount, creditedAccount, transaction }: PaymentClaim): Promise<void> {
  const lost = await reversePayment({ id });
  if (lost === null) return;
  metrics().payments.inc({ scheme, outcome: "reversed" });
  metrics().operatorLossNanoUsd.inc({ reason: "payment_reversed" }, Number(lost));
  log().error(
    { payment: id, creditedAccount, transaction, amount: usdText(amount), lost: usdText(lost) },
    "a payment left the chain for good: its credit is reversed, and the operator bears the part that was spent",
  );
}

async function followUnpaid(claim: PaymentClaim, relayed: Relayed | undefined, head: Head | null): Promise<void> {
  // A reorganisation gave its transaction the effect that it lacked.
  if (relayed?.state === "succeeded" && relayed.block !== null) {
    await creditShown(claim, { transaction: relayed.hash, block: relayed.block });
    return;
  }
  if (relayed && !relayed.isFinal) return;
  // Others may execute it until its time is over; our own transaction is final without effect.
  if ((!relayed || claim.scheme === "exact_evm") && !isExpired(claim, head)) return;
  await creditOrEnd(claim, head, () => recordOver(claim));
}
