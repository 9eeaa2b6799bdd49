// Settles an exact payment on the EVM chain: the relayer, or a facilitator, executes its EIP-3009 authorization. Anybody else who sees the
// authorization can execute it too: it is then found on the chain, and counts the same.

import { getAddress, type Hex } from "viem";
import { now } from "@/lib/base/clock";
import { publicUrl } from "@/lib/base/public-url";
import { findUseOfShown, isMoveShown, type NonceUse } from "@/lib/chains/evm/authorized-transfer";
import { baseChainId } from "@/lib/chains/evm/base";
import { readLatestBlock } from "@/lib/chains/evm/blocks";
import { EvmFailure } from "@/lib/chains/evm/failure";
import { readFinalBlock } from "@/lib/chains/evm/head";
import { isAuthorizationUsed, readSettledAuthorization, readUsdc } from "@/lib/chains/evm/token-state";
import { encodeAuthorizedTransfer, usdcAddress, usdcDomain } from "@/lib/chains/evm/usdc";
import { isRelayStopped, prepareCall, storeCall } from "@/lib/relay/calls";
import { isOutage } from "@/lib/relay/chain";
import type { PaymentClaim } from "../claims/claim";
import { findSettlement } from "../followup/find-settlement";
import { readKeptAuthorization } from "../x402/evm";
import { type FacilitatorOrder, isFacilitated, requestSettlement, requestVerification } from "../x402/facilitator";
import { X402_PATH, X402_VERSION } from "../x402/wire";
import { MAX_GAS, storeAttempt, takesTooMuchGas } from "./failed-fee-limit";
import type { AttemptOutcome, Refusal, SettledAt, SettlementStrategy } from "./settlement-strategy";

export const settleExactEvm: SettlementStrategy = { attempt, find, isShown, findReason };

async function attempt(claim: PaymentClaim, relayId: string): Promise<AttemptOutcome> {
  try {
    return (await isFacilitated(claim.network)) ? await settleWithFacilitator(claim) : await relay(claim, relayId);
  } catch (error) {
    if (isOutage(error) || isRelayStopped(error)) return { kind: "unknown" };
    throw error;
  }
}

/** Nodes see the call before it is stored. A node operator could execute it, which pays us all the same. */
const prepare = ({ settlement }: PaymentClaim) => {
  const { authorization, signature } = readKeptAuthorization(settlement);
  return prepareCall({ to: usdcAddress(baseChainId()), data: encodeAuthorizedTransfer(authorization, signature) });
};

async function relay(claim: PaymentClaim, relayId: string): Promise<AttemptOutcome> {
  const at = now();
  const [prepared, units] = await Promise.all([prepare(claim), readUsdc(readKeptAuthorization(claim.settlement).authorization.from)]);
  if (prepared.kind === "reverts") return explain(claim, prepared.reason);
  if (prepared.gas > MAX_GAS) return takesTooMuchGas;
  return storeAttempt(claim, { units, at }, (transaction) => storeCall(relayId, prepared, transaction));
}

/** The reason it would be refused for now. */
async function findReason(claim: PaymentClaim): Promise<Refusal | null> {
  const prepared = await prepare(claim);
  const attempt = prepared.kind === "reverts" ? await explain(claim, prepared.reason) : null;
  if (attempt?.kind === "found") throw new EvmFailure("behind", "one node shows the authorization as used, another does not yet");
  return attempt?.kind === "refused"
    ? { reason: attempt.reason, ...(attempt.message === undefined ? {} : { message: attempt.message }) }
    : null;
}

/** Translates USDC's revert reasons. */
async function explain(claim: PaymentClaim, words: string): Promise<AttemptOutcome> {
  if (/used or canceled/i.test(words)) return lookFor(claim);
  if (/exceeds balance/i.test(words)) {
    return { kind: "refused", reason: "wallet_balance_too_low", message: "The wallet does not have enough USDC" };
  }
  if (/is expired/i.test(words)) return { kind: "refused", reason: "expired", message: "The authorization expired. Sign a new one" };
  if (/invalid signature/i.test(words)) return { kind: "refused", reason: "bad_signature", message: "USDC rejected this signature" };
  return { kind: "refused", reason: "settlement_failed", message: `USDC rejects this transfer: ${words.slice(0, MAX_WORDS)}` };
}

const MAX_WORDS = 100;

/** The nonce is used: by this very authorization, or otherwise. */
async function lookFor(claim: PaymentClaim): Promise<AttemptOutcome> {
  const use = await getUse(claim, (await readLatestBlock()).number);
  if (use.kind === "moved") return { kind: "found", transaction: use.transaction, block: use.block };
  return { kind: "refused", reason: "settlement_failed", message: "The authorization's nonce was already used. Sign a new one" };
}

/** The use of a nonce that is used by `toBlock`. @throws EvmFailure when no node has its log: they lag, or have pruned it */
async function getUse({ settlement, claimedAt }: PaymentClaim, toBlock: number): Promise<NonceUse> {
  const use = await findUseOfShown(readKeptAuthorization(settlement).authorization, { shownAtMs: claimedAt.getTime(), toBlock });
  if (use === null) throw new EvmFailure("behind", "the authorization is used, but no node shows by which transaction");
  return use;
}

async function find(claim: PaymentClaim, as: "latest" | "final"): Promise<SettledAt | null> {
  const { from, nonce } = readKeptAuthorization(claim.settlement).authorization;
  if (as === "latest") {
    if (!(await isAuthorizationUsed(from, nonce))) return null;
    return settledAt(await getUse(claim, (await readLatestBlock()).number));
  }
  const final = await readFinalBlock();
  const isUsed = await readSettledAuthorization(from, nonce, final);
  if (isUsed === null) throw new EvmFailure("behind", "the nodes disagree whether the authorization was used");
  return isUsed ? settledAt(await getUse(claim, final.number)) : null;
}

const settledAt = (use: NonceUse): SettledAt | null => (use.kind === "moved" ? { transaction: use.transaction, block: use.block } : null);

async function isShown({ settlement }: PaymentClaim, { transaction, block }: SettledAt): Promise<boolean> {
  return isMoveShown(readKeptAuthorization(settlement).authorization, { transaction: transaction as Hex, block });
}

/** Settles with the facilitator. It may lie either way, so the chain is read before, and after any answer. */
async function settleWithFacilitator(claim: PaymentClaim): Promise<AttemptOutcome> {
  const before = await find(claim, "latest");
  if (before) return { kind: "found", ...before };
  const order = orderOf(claim);
  const verdict = await requestVerification(order);
  if (verdict.kind === "silent") return { kind: "unknown" };
  if (verdict.kind === "no") return { kind: "refused", ...failureOf(verdict.reason) };
  const answer = await requestSettlement(order);
  const looks = answer.kind === "yes" ? LOOKS_AFTER_YES : LOOKS_AFTER_NO;
  const after = await findSettlement(() => find(claim, "latest"), { looks, everyMs: LOOK_EVERY_MS });
  if (after) return { kind: "found", ...after };
  // A settlement that it reports may still come into a block.
  if (answer.kind !== "no" || /pending/i.test(answer.reason)) return { kind: "unknown" };
  return { kind: "refused", ...failureOf(answer.reason) };
}

const LOOK_EVERY_MS = 100;
const LOOKS_AFTER_YES = 20;
const LOOKS_AFTER_NO = 1;

function failureOf(words: string): { reason: "wallet_balance_too_low" | "settlement_failed"; message: string } {
  if (/insufficient_(funds|balance)/i.test(words)) {
    return { reason: "wallet_balance_too_low", message: "The wallet does not have enough USDC" };
  }
  return { reason: "settlement_failed", message: `The payment failed: ${words}` };
}

function orderOf({ settlement, network }: PaymentClaim): FacilitatorOrder {
  const { signature, authorization } = readKeptAuthorization(settlement);
  const { name, version, verifyingContract } = usdcDomain(baseChainId());
  const paymentRequirements = {
    scheme: "exact",
    network,
    amount: `${authorization.value}`,
    asset: getAddress(verifyingContract),
    payTo: getAddress(authorization.to),
    maxTimeoutSeconds: 300,
    extra: { name, version },
  };
  const words = { value: `${authorization.value}`, validAfter: `${authorization.validAfter}`, validBefore: `${authorization.validBefore}` };
  const paymentPayload = {
    x402Version: X402_VERSION,
    resource: { url: `${publicUrl()}${X402_PATH}` },
    accepted: paymentRequirements,
    payload: { signature, authorization: { ...authorization, ...words } },
  };
  return { paymentPayload, paymentRequirements };
}
