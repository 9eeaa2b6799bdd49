// Settles an exact payment on Solana: the payer's transaction is simulated, and signed by the fee payer in the commit that stores it.
// Whatever its signatures, the chain runs its message once, and only the fee payer can submit it.

import { now } from "@/lib/base/clock";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import { isMessageShown } from "@/lib/chains/solana/sent-message";
import { tryTransaction } from "@/lib/chains/solana/simulation";
import { readTokenAccounts } from "@/lib/chains/solana/token-accounts";
import { findIncludedAnywhere, readBlockhash } from "@/lib/chains/solana/transactions";
import { isOutage } from "@/lib/relay/chain";
import { findRelayed } from "@/lib/relay/relayed";
import { storeSigned } from "@/lib/relay/signed";
import { findSponsor, type SignedBySponsor } from "@/lib/relay/sponsor";
import { type PaymentClaim, relayIdOf } from "../claims/claim";
import { storeAttempt } from "./failed-fee-limit";
import { type KeptPayment, readKept } from "./kept-svm-payment";
import { findElsewhere, settleWithFacilitator } from "./settle-svm-with-facilitator";
import type { AttemptOutcome, Refusal, SettledAt, SettlementStrategy } from "./settlement-strategy";
import { explainBalance, explainTrial } from "./svm-trial";

export const settleExactSvm: SettlementStrategy = { attempt, find, isShown, findReason };

async function attempt(claim: PaymentClaim, relayId: string): Promise<AttemptOutcome> {
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

async function relay(claim: PaymentClaim, kept: KeptPayment, id: string): Promise<AttemptOutcome> {
  const nodes = solanaNodes();
  const at = now();
  const [trial, { value: accounts }] = await Promise.all([
    tryTransaction(nodes, kept.bytes),
    readTokenAccounts(nodes, [kept.transaction.from], "confirmed"),
  ]);
  const trouble = trial.value === null ? null : await explainTrial(kept.transaction, trial.value);
  const isExpired = trouble?.kind === "refused" && trouble.reason === "expired";
  // An earlier attempt stored this same transaction; or the database was restored from a backup since. For about a minute a cluster calls a
  // transaction that ran "already processed", and from then on "expired".
  const mayHaveRun = claim.attempt > 1 || trial.value === "AlreadyProcessed" || isExpired;
  try {
    const found = mayHaveRun ? await find(claim, "latest") : null;
    if (found) return { kind: "found", ...found };
  } catch (error) {
    // While one node is silent, nobody can tell. It is looked for again once its time is over, and credited then if it ran.
    if (isExpired && isOutage(error)) return trouble;
    throw error;
  }
  if (claim.attempt > 1) return { kind: "refused", ...usedUp };
  if (trouble) return trouble;
  // This blockhash comes from a node at least as far as the node that knew the payer's: it is no older, and lasts no shorter. Nobody can
  // submit the payment before the fee payer signs it, below.
  const { lastValidBlockHeight, slot } = await readBlockhash(nodes, trial.slot);
  const used = { feePayer: kept.terms.feePayer, lastValidBlockHeight, slot };
  // A payment that would fail, or that its payer cannot pay, is never signed: otherwise payments that cost nobody anything would use up the
  // fees of a day. No node sees the signature before it is stored.
  return storeAttempt(claim, { units: accounts[0]?.units ?? 0n, at }, async (commit) =>
    storeSigned({ id, ...(await sign(kept)), ...used }, commit),
  );
}

async function find(claim: PaymentClaim, as: "latest" | "final"): Promise<SettledAt | null> {
  const kept = await readKept(claim);
  // Every attempt is the same transaction. The first one's row is missing when it was never signed, or the database was restored.
  const [signed] = kept.isOurs ? await findRelayed([relayIdOf({ id: claim.id, attempt: 1 })]) : [];
  if (!signed) return findElsewhere(claim, kept.transaction, as);
  const included = await findIncludedAnywhere(solanaNodes(), signed.hash);
  return included && (as === "latest" || included.isFinal) ? { transaction: signed.hash, block: included.slot } : null;
}

async function isShown(claim: PaymentClaim, { transaction, block }: SettledAt): Promise<boolean> {
  const { message } = (await readKept(claim)).transaction;
  return isMessageShown(solanaNodes(), { signature: transaction, slot: block, message });
}

async function findReason(claim: PaymentClaim): Promise<Refusal> {
  return (await explainBalance((await readKept(claim)).transaction)) ?? usedUp;
}

/** @throws Error in a process without the seed; SignerUnavailable */
async function sign({ bytes, terms }: KeptPayment): Promise<SignedBySponsor> {
  const sponsor = findSponsor();
  if (sponsor?.address !== terms.feePayer) throw new Error("This process has no sponsor key: only a process with ROLES=jobs does.");
  return sponsor.signPayment(bytes);
}
