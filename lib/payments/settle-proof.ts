// Settling a proof: the settlement contract checks the four lines that the payer signed and moves their amount to the treasury, once. It
// obeys the relayer alone, so what it shows as settled is ours.

import type { Hex } from "viem";
import { z } from "zod";
import { isEvmFailure } from "@/lib/chains/evm/failure";
import { readHead } from "@/lib/chains/evm/head";
import { findSettledTransaction, findSettleRefusal } from "@/lib/chains/evm/settled";
import {
  encodeSettle,
  type ProofTerms,
  readSettlement,
  type SettlementState,
  type SettlementTerms,
  settlementAddress,
} from "@/lib/chains/evm/settlement";
import { bytes } from "@/lib/chains/evm/wire";
import { isRelayStopped, prepareCall, storeCall } from "@/lib/relay/calls";
import { MOST_GAS, storeAttempt, takesTooMuchGas } from "./brake";
import type { PaymentClaim } from "./claim";
import type { Attempt, Refusal, SettledAt, SettleWay } from "./settle-way";
import { findSettlementTerms } from "./settlement-terms";

const UNITS_PER_CENT = 10_000n;

export const settleProof: SettleWay = { attempt, find, findReason };

interface Proof extends ProofTerms {
  signature: Hex;
  contract: Hex;
  terms: SettlementTerms;
}

const whole = z.string().regex(/^\d+$/).transform(BigInt);
const settlementForm = z.object({ cents: whole, timestampMs: whole, signature: bytes });
const requestNumber = z
  .string()
  .regex(/^req_\d+$/)
  .transform((text) => BigInt(text.slice("req_".length)));

async function readProof({ payer, nonce, settlement }: PaymentClaim): Promise<Proof> {
  const terms = await findSettlementTerms();
  if (terms === null) throw new Error("A proof was claimed, and nothing says which contract would settle it.");
  const contract = settlementAddress(terms);
  return { from: payer as Hex, requestNumber: requestNumber.parse(nonce), ...settlementForm.parse(settlement), contract, terms };
}

async function attempt(claim: PaymentClaim, relayId: string): Promise<Attempt> {
  try {
    return await tryAndStore(claim, await readProof(claim), relayId);
  } catch (error) {
    if (isEvmFailure(error) || isRelayStopped(error)) return { kind: "unknown" };
    throw error;
  }
}

async function tryAndStore(claim: PaymentClaim, proof: Proof, relayId: string): Promise<Attempt> {
  const call = { to: proof.contract, data: encodeSettle(proof, proof.signature) };
  // What is read tells why the call would revert, at no cost in time.
  const [state, prepared] = await Promise.all([readSettlement(proof.contract, proof), prepareCall(call)]);
  const refusal = refusalOf(state, proof);
  if (refusal === "settled") return lookFor(proof);
  if (refusal !== null) return { kind: "refused", ...refusal };
  if (prepared.kind === "reverts") return explain(proof);
  if (prepared.gas > MOST_GAS) return takesTooMuchGas;
  return storeAttempt(claim, (transaction) => storeCall(relayId, prepared, transaction));
}

function refusalOf(
  { isDeployed, settledCents, allowance, balance }: SettlementState,
  { cents, contract }: Proof,
): Refusal | "settled" | null {
  if (!isDeployed) return { reason: "settlement_failed", message: `The settlement contract is not at ${contract} yet` };
  if (settledCents > 0n) return "settled";
  const units = cents * UNITS_PER_CENT;
  if (allowance < units) {
    const message = `The wallet allows ${contract} ${inUsdc(allowance)} USDC, and signed away ${inUsdc(units)}: approve more`;
    return { reason: "allowance_too_low", message };
  }
  if (balance >= units) return null;
  return { reason: "wallet_balance_too_low", message: `The wallet has ${inUsdc(balance)} USDC, and signed away ${inUsdc(units)}` };
}

const inUsdc = (units: bigint): string => `${units / 1_000_000n}.${(units % 1_000_000n).toString().padStart(6, "0")}`;

/** The request number was settled before: as this payment, by a run that the database does not know any more, or as another. */
async function lookFor(proof: Proof): Promise<Attempt> {
  const settled = await findSettledTransaction(proof.contract, proof);
  if (settled === null) return { kind: "unknown" }; // a node that lags behind the first, or has no logs so old
  if (settled.cents === proof.cents) return { kind: "found", transaction: settled.transaction, block: settled.block };
  return {
    kind: "refused",
    reason: "settlement_failed",
    message: "The wallet settled another amount under this requestId: sign a new one",
  };
}

/** Why the contract would not settle it now. */
async function explain(proof: Proof): Promise<Attempt> {
  const { contract: address, terms, signature } = proof;
  const refusal = await findSettleRefusal({ address, relayer: terms.relayer, proof, signature });
  if (refusal === null) return { kind: "unknown" }; // it would again: the next try tells
  if (refusal.reason === "settled_already") return lookFor(proof);
  return { kind: "refused", reason: refusal.reason, message: wordsFor[refusal.reason] ?? `The contract refuses: ${refusal.message}` };
}

const wordsFor: Readonly<Partial<Record<Refusal["reason"], string>>> = {
  expired: "The time that was signed is more than five minutes from the block's",
  bad_signature: "The contract does not take this signature",
};

async function find(claim: PaymentClaim, as: "latest" | "final"): Promise<SettledAt | null> {
  const proof = await readProof(claim);
  const head = as === "final" ? await readHead() : null;
  const { settledCents } = await readSettlement(proof.contract, proof);
  if (settledCents === 0n) return null;
  const settled = await findSettledTransaction(proof.contract, proof);
  if (settled === null || settled.cents !== proof.cents) return null;
  const isLate = head !== null && (head.doubt !== null || settled.block > head.finalized.number);
  return isLate ? null : { transaction: settled.transaction, block: settled.block };
}

async function findReason(claim: PaymentClaim): Promise<Refusal | null> {
  const proof = await readProof(claim);
  const refusal = refusalOf(await readSettlement(proof.contract, proof), proof);
  if (refusal !== null) return refusal === "settled" ? null : refusal;
  const told = await explain(proof);
  return told.kind === "refused" ? told : null;
}
