// Settles a claim: its transaction is simulated, stored, sent and followed into a block. Safe to call any number of times at once, in any
// process: a process without a relayer delegates to a process with one.

import { setTimeout as sleep } from "node:timers/promises";
import { metrics } from "@/lib/base/observe/metrics";
import { processSingleton } from "@/lib/base/process-singleton";
import { nodeQuorum } from "@/lib/chains/quorum";
import { isOutage } from "@/lib/relay/chain";
import { findRelayed, type Relayed } from "@/lib/relay/relayed";
import { findRelayer } from "@/lib/relay/relayer";
import { sendStored } from "@/lib/relay/send";
import { waitForRelayed } from "@/lib/relay/wait";
import { getClaim, type PaymentClaim, type PaymentId, relayIdOf } from "../claims/claim";
import { recordFailed, uncover } from "../claims/claim-steps";
import { delegateSettlement } from "./delegate-settlement";
import { findFailedFeeLimit } from "./failed-fee-limit";
import { type Settled, settledAs } from "./outcome";
import type { AttemptOutcome, Refusal, SettledAt } from "./settlement-strategy";
import { settlementStrategies } from "./strategies";

interface Run {
  untilMs: number;
  outcome: Promise<Settled>;
}

const runs = processSingleton("payments being settled", () => new Map<PaymentId, Run>());

const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 500;
/** Enough time from a transaction's first bytes to its block while the relay and the chain work. */
const ENOUGH_TIME_MS = 30_000;

/**
 * Resolves after `waitMs` milliseconds, or soon after, at the latest. A process has one run per claim, and every caller gets that run's
 * outcome. A covered claim is submitted after all.
 */
export async function settleClaim(claim: PaymentClaim, waitMs: number): Promise<Settled> {
  const untilMs = performance.now() + waitMs;
  const running = runs().get(claim.id);
  if (running) {
    running.untilMs = Math.max(running.untilMs, untilMs);
    return Promise.race([running.outcome, afterMs(waitMs)]);
  }
  const run: Run = { untilMs, outcome: Promise.resolve({ kind: "pending" }) };
  run.outcome = (claim.state === "covered" ? uncover(claim) : Promise.resolve(claim))
    .then((open) => (findRelayer() ? settleUntil(open, run) : delegateSettlement(open, run)))
    .finally(() => runs().delete(claim.id));
  runs().set(claim.id, run);
  return run.outcome;
}

async function afterMs(waitMs: number): Promise<Settled> {
  await sleep(waitMs, undefined, { ref: false });
  return { kind: "pending" };
}

async function settleUntil(claim: PaymentClaim, run: Run): Promise<Settled> {
  const startedMs = performance.now();
  const settled = await repeat(claim, run);
  const { scheme, state } = claim;
  if (state !== "claimed") return settled;
  metrics().payments.inc({ scheme, outcome: settled.kind });
  if (settled.kind === "paid") metrics().paymentSeconds.observe({ scheme }, (performance.now() - startedMs) / 1_000);
  return settled;
}

async function repeat(claim: PaymentClaim, run: Run): Promise<Settled> {
  let known = claim;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
    const settled = settledAs(known) ?? (await confirm(known, await goOn(known, run)));
    const leftMs = run.untilMs - performance.now();
    if (settled.kind !== "pending" || leftMs <= 0) return settled;
    await sleep(Math.min(pauseMs, leftMs));
    known = await getClaim(claim.id);
  }
}

/** A claim that one node shows as paid counts as paid once as many nodes show it as must agree; until then it is under way. */
async function confirm(claim: PaymentClaim, settled: Settled): Promise<Settled> {
  return settled.kind !== "paid" || (await isShown(claim, settled)) ? settled : { kind: "pending" };
}

/** Whether enough nodes show it. Where one node's word is enough, that node has just shown it. False while too few answer. */
export async function isShown(claim: PaymentClaim, at: SettledAt): Promise<boolean> {
  if (nodeQuorum() === 1) return true;
  try {
    return await settlementStrategies[claim.scheme].isShown(claim, at);
  } catch (error) {
    if (isOutage(error)) return false;
    throw error;
  }
}

/** One step further: an attempt, or a look at its transaction. */
async function goOn(claim: PaymentClaim, run: Run): Promise<Settled> {
  if (!claim.isRelayed) {
    const attempt = await tryNow(claim);
    if (attempt.kind === "found") return { kind: "paid", transaction: attempt.transaction, block: attempt.block };
    if (attempt.kind === "refused") return fail(claim, false, attempt);
    if (attempt.kind === "unknown") return { kind: "pending" };
  }
  const id = relayIdOf(claim);
  const [stored] = await findRelayed([id]);
  // Another run changed the claim.
  if (!stored) return { kind: "pending" };
  if (stored.state === "stored") await sendStored(id);
  const relayed = await waitForRelayed(id, Math.max(0, run.untilMs - performance.now()));
  if (relayed.state === "succeeded" && relayed.block !== null) return { kind: "paid", transaction: relayed.hash, block: relayed.block };
  return relayed.state === "failed" || relayed.state === "lost" ? afterFailure(claim, relayed) : { kind: "pending" };
}

async function tryNow(claim: PaymentClaim): Promise<AttemptOutcome> {
  const strategy = settlementStrategies[claim.scheme];
  const limited = await findFailedFeeLimit(claim);
  if (limited?.kind !== "refused") return limited ?? strategy.attempt(claim, relayIdOf(claim));
  // Somebody else may have executed it, or we did before the database was restored from a backup.
  try {
    const found = await strategy.find(claim, "latest");
    if (found) return { kind: "found", ...found };
    const why = await strategy.findReason?.(claim);
    // A reason that its payer can fix is more useful.
    return why && why.reason !== "settlement_failed" ? { ...why, kind: "refused" } : limited;
  } catch (error) {
    if (isOutage(error)) return { kind: "unknown" };
    throw error;
  }
}

/** Our transaction moved nothing. Another one may have: of an earlier attempt, or from before the database was restored from a backup. */
async function afterFailure(claim: PaymentClaim, { state, storedAt }: Relayed): Promise<Settled> {
  const strategy = settlementStrategies[claim.scheme];
  try {
    const found = await strategy.find(claim, "latest");
    if (found) return { kind: "paid", ...found };
    const reason = (await strategy.findReason?.(claim)) ?? null;
    const lost = claim.scheme === "exact_svm" && state === "lost" ? "expired" : "settlement_failed";
    const failure = reason ?? { reason: lost, message: "The transaction failed and moved no USDC" };
    // A transaction that had enough time and came into no block expired through no fault of its payer.
    const isOurFault = failure.reason === "expired" && claim.validUntil.getTime() - storedAt.getTime() >= ENOUGH_TIME_MS;
    return await fail(claim, true, { ...failure, isFailedTransaction: state === "failed" && !isOurFault });
  } catch (error) {
    if (isOutage(error)) return { kind: "pending" };
    throw error;
  }
}

/** `pending` when another run was faster. */
async function fail(claim: PaymentClaim, wasRelayed: boolean, failure: Refusal & { isFailedTransaction?: boolean }): Promise<Settled> {
  const { reason, message } = failure;
  const isOurs = await recordFailed(claim, wasRelayed, failure);
  if (!isOurs) return { kind: "pending" };
  if (failure.isFailedTransaction) metrics().paymentsFailedOnChain.inc({ scheme: claim.scheme });
  return { kind: "failed", reason, ...(message === undefined ? {} : { message }) };
}
