// Settles an exact payment on Solana: the payer's transaction is simulated, signed by the fee payer, and stored. Whatever its signatures,
// the chain runs its message once, and only the fee payer can submit it.

import { now } from "@/lib/base/clock";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import { isMessageShown } from "@/lib/chains/solana/sent-message";
import { tryTransaction } from "@/lib/chains/solana/simulation";
import { readTokenAccounts } from "@/lib/chains/solana/token-accounts";
import { findIncludedAnywhere, findStatus, readBlockhash, type TransactionStatus } from "@/lib/chains/solana/transactions";
import { isOutage } from "@/lib/relay/chain";
import { storeSigned } from "@/lib/relay/signed";
import { findSponsor, type SignedBySponsor } from "@/lib/relay/sponsor";
import type { PaymentClaim } from "../claims/claim";
import { storeAttempt } from "./failed-fee-limit";
import { type KeptPayment, readKept } from "./kept-svm-payment";
import { findElsewhere, settleWithFacilitator } from "./settle-svm-with-facilitator";
import type { Attempt, Refusal, SettledAt, SettlementStrategy } from "./settlement-strategy";
import { explainBalance, explainTrial } from "./svm-trial";

export const settleExactSvm: SettlementStrategy = { attempt, find, isShown, findReason };

async function attempt(claim: PaymentClaim, relayId: string): Promise<Attempt> {
  const kept = await readKept(claim);
  try {
    return kept.isOurs ? await relay(claim, kept, relayId) : await settleWithFacilitator(claim, kept);
  } catch (error) {
    if (isOutage(error)) return { kind: "unknown" };
    throw error;
  }
}

const usedUp: Refusal = {
  reason: "settlement_failed",
  message: "The transaction failed and cannot run again. Sign a new one",
};

async function relay(claim: PaymentClaim, kept: KeptPayment, id: string): Promise<Attempt> {
  const nodes = solanaNodes();
  // No node sees our signature before it is stored.
  const signed = await sign(kept);
  const at = now();
  const [status, trial, { value: accounts }] = await Promise.all([
    findStatus(nodes, signed.signature),
    tryTransaction(nodes, kept.bytes),
    readTokenAccounts(nodes, [kept.transaction.from], "confirmed"),
  ]);
  if (status !== null && isConfirmed(status)) {
    return status.isFailed ? { kind: "refused", ...usedUp } : { kind: "found", transaction: signed.signature, block: status.slot };
  }
  if (status !== null) return { kind: "unknown" };
  // An earlier attempt that failed was this same transaction.
  if (claim.attempt > 1) return { kind: "refused", ...usedUp };
  if (trial.value !== null) return explainTrial(kept.transaction, trial.value);
  // This blockhash comes from a node at least as far as the node that knew the payer's: it is no older, and lasts no shorter.
  const { lastValidBlockHeight, slot } = await readBlockhash(nodes, trial.slot);
  const transaction = { id, ...signed, feePayer: kept.terms.feePayer, lastValidBlockHeight, slot: Math.min(slot, trial.slot) };
  return storeAttempt(claim, { units: accounts[0]?.units ?? 0n, at }, (commit) => storeSigned(transaction, commit));
}

async function find(claim: PaymentClaim, as: "latest" | "final"): Promise<SettledAt | null> {
  const kept = await readKept(claim);
  if (!kept.isOurs) return findElsewhere(claim, kept.transaction, as);
  const { signature } = await sign(kept);
  const included = await findIncludedAnywhere(solanaNodes(), signature);
  return included && (as === "latest" || included.isFinal) ? { transaction: signature, block: included.slot } : null;
}

async function isShown(claim: PaymentClaim, { transaction, block }: SettledAt): Promise<boolean> {
  const { message } = (await readKept(claim)).transaction;
  return isMessageShown(solanaNodes(), { signature: transaction, slot: block, message });
}

async function findReason(claim: PaymentClaim): Promise<Refusal> {
  return (await explainBalance((await readKept(claim)).transaction)) ?? usedUp;
}

/** The signature is deterministic, so the chain can be queried for it. @throws Error in a process without the seed */
async function sign({ bytes, terms }: KeptPayment): Promise<SignedBySponsor> {
  const sponsor = findSponsor();
  if (sponsor?.address !== terms.feePayer) throw new Error("This process has no sponsor key: only a process with ROLES=jobs does.");
  return sponsor.signPayment(bytes);
}

/** A transaction that is only processed may be on a fork. */
const isConfirmed = ({ commitment }: TransactionStatus): boolean => commitment !== "processed";
