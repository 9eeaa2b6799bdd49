// Settles a proof: the settlement contract checks the four lines that the payer signed and moves their amount to the treasury, once. It
// obeys the relayer alone, so every settlement that it shows is ours.

import type { Hex } from "viem";
import { z } from "zod";
import { now } from "@/lib/base/clock";
import { EvmFailure } from "@/lib/chains/evm/failure";
import { readFinalState } from "@/lib/chains/evm/final-state";
import { readFinalBlock } from "@/lib/chains/evm/head";
import {
  findSettledTransaction,
  findSettleRefusal,
  isSettlementShown,
  type SettledTransaction,
  settledCentsOf,
} from "@/lib/chains/evm/settled";
import {
  encodeSettle,
  type ProofTerms,
  readSettlement,
  type SettlementState,
  type SettlementTerms,
  settlementAddress,
} from "@/lib/chains/evm/settlement";
import { address, bytes } from "@/lib/chains/evm/wire";
import { isRelayStopped, prepareCall, storeCall } from "@/lib/relay/calls";
import { isOutage } from "@/lib/relay/chain";
import { relayer } from "@/lib/relay/relayer";
import type { PaymentClaim } from "../claims/claim";
import { MAX_GAS, storeAttempt, takesTooMuchGas } from "./failed-fee-limit";
import type { AttemptOutcome, Refusal, SettledAt, SettlementStrategy } from "./settlement-strategy";
import { findSettlementTerms } from "./settlement-terms";

const UNITS_PER_CENT = 10_000n;

export const settleProof: SettlementStrategy = { attempt, find, isShown, findReason };

interface Proof extends ProofTerms {
  signature: Hex;
  contract: Hex;
  terms: SettlementTerms;
}

const whole = z.string().regex(/^\d+$/).transform(BigInt);
/** `relayer`: whose contract the payer signed for; a rotated relayer has another one. Claims from before it was stored have none. */
const settlementForm = z.object({ cents: whole, timestampMs: whole, signature: bytes, relayer: address.optional() });
const requestNumber = z
  .string()
  .regex(/^req_\d+$/)
  .transform((text) => BigInt(text.slice("req_".length)));

/** Reads the proof that the claim stores. @throws Error when the settling contract is not known */
export async function readProof({ payer, nonce, settlement }: PaymentClaim): Promise<Proof> {
  const now = await findSettlementTerms();
  if (now === null) throw new Error("A proof was claimed, but no settlement contract is configured.");
  const { relayer = now.relayer, ...proof } = settlementForm.parse(settlement);
  const terms = { ...now, relayer };
  return { from: payer as Hex, requestNumber: requestNumber.parse(nonce), ...proof, contract: settlementAddress(terms), terms };
}

async function attempt(claim: PaymentClaim, relayId: string): Promise<AttemptOutcome> {
  try {
    return await tryAndStore(claim, await readProof(claim), relayId);
  } catch (error) {
    if (isOutage(error) || isRelayStopped(error)) return { kind: "unknown" };
    throw error;
  }
}

async function tryAndStore(claim: PaymentClaim, proof: Proof, relayId: string): Promise<AttemptOutcome> {
  const call = { to: proof.contract, data: encodeSettle(proof, proof.signature) };
  const at = now();
  // The state says why the call would revert; reading it in parallel costs no time.
  const [state, prepared] = await Promise.all([readSettlement(proof.contract, proof), prepareCall(call)]);
  const refusal = refusalOf(state, proof);
  if (refusal === "settled") return lookFor(proof);
  if (refusal !== null) return { kind: "refused", ...refusal };
  if (proof.terms.relayer !== relayer().address.toLowerCase()) return { kind: "refused", ...rotated };
  if (prepared.kind === "reverts") return explain(proof);
  if (prepared.gas > MAX_GAS) return takesTooMuchGas;
  let units = state.balance;
  if (state.allowance < units) units = state.allowance;
  return storeAttempt(claim, { units, at }, (transaction) => storeCall(relayId, prepared, transaction));
}

const rotated: Refusal = {
  reason: "settlement_failed",
  message: "The service now uses another payment contract. Approve the one in GET /api/v1/payment-terms",
};

function refusalOf(
  { isDeployed, settledCents, allowance, balance }: SettlementState,
  { cents, contract }: Proof,
): Refusal | "settled" | null {
  if (!isDeployed) return { reason: "settlement_failed", message: `The settlement contract ${contract} is not deployed yet` };
  if (settledCents > 0n) return "settled";
  const units = cents * UNITS_PER_CENT;
  if (allowance < units) {
    const message = `The wallet has approved ${inUsdc(allowance)} USDC to ${contract}, but signed ${inUsdc(units)}. Approve more`;
    return { reason: "allowance_too_low", message };
  }
  if (balance >= units) return null;
  return { reason: "wallet_balance_too_low", message: `The wallet has ${inUsdc(balance)} USDC, but signed ${inUsdc(units)}` };
}

const inUsdc = (units: bigint): string => `${units / 1_000_000n}.${(units % 1_000_000n).toString().padStart(6, "0")}`;

/** The request number was settled before: as this payment, by a run that the database no longer knows, or with another amount. */
async function lookFor(proof: Proof): Promise<AttemptOutcome> {
  const settled = await getSettled(proof);
  if (settled.cents === proof.cents) return { kind: "found", transaction: settled.transaction, block: settled.block };
  return {
    kind: "refused",
    reason: "settlement_failed",
    message: "This requestId was already settled with another amount. Sign a new payment",
  };
}

/** The settlement of a request number that is settled. @throws EvmFailure when no node has its log: they lag, or have pruned it */
async function getSettled(proof: Proof): Promise<SettledTransaction> {
  const settled = await findSettledTransaction(proof.contract, proof);
  if (settled === null) throw new EvmFailure("behind", "the request id is settled, but no node shows by which transaction");
  return settled;
}

/** Why the contract would refuse to settle it now. */
async function explain(proof: Proof): Promise<AttemptOutcome> {
  const { contract, terms, signature } = proof;
  const refusal = await findSettleRefusal({ address: contract, relayer: terms.relayer, proof, signature });
  if (refusal === null) return { kind: "unknown" }; // it would settle now: the next try decides
  if (refusal.reason === "settled_already") return lookFor(proof);
  return {
    kind: "refused",
    reason: refusal.reason,
    message: wordsFor[refusal.reason] ?? `The contract rejects the payment: ${refusal.message}`,
  };
}

const wordsFor: Readonly<Partial<Record<Refusal["reason"], string>>> = {
  expired: "The signed timestamp is more than five minutes from the block's time",
  bad_signature: "The contract rejects this signature",
};

async function find(claim: PaymentClaim, as: "latest" | "final"): Promise<SettledAt | null> {
  const proof = await readProof(claim);
  const final = as === "final" ? await readFinalBlock() : null;
  const cents = final
    ? await readFinalState(settledCentsOf(proof.contract, proof), final)
    : (await readSettlement(proof.contract, proof)).settledCents;
  if (cents === null) throw new EvmFailure("behind", "the nodes disagree whether the request id was settled");
  if (cents !== proof.cents) return null;
  const settled = await getSettled(proof);
  const isConsistent = settled.cents === cents && (final === null || settled.block <= final.number);
  if (!isConsistent) throw new EvmFailure("behind", "the settlement's log does not match the contract's state");
  return { transaction: settled.transaction, block: settled.block };
}

async function isShown(claim: PaymentClaim, { transaction, block }: SettledAt): Promise<boolean> {
  const proof = await readProof(claim);
  return isSettlementShown(proof.contract, proof, { transaction: transaction as Hex, block });
}

async function findReason(claim: PaymentClaim): Promise<Refusal | null> {
  const proof = await readProof(claim);
  const refusal = refusalOf(await readSettlement(proof.contract, proof), proof);
  if (refusal !== null && refusal !== "settled") return refusal;
  const outcome = refusal === "settled" ? await lookFor(proof) : await explain(proof);
  if (outcome.kind === "found") throw new EvmFailure("behind", "one node shows the proof as settled, another does not yet");
  return outcome.kind === "refused" ? outcome : null;
}
