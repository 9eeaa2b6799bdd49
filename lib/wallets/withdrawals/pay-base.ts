// Payouts on Base: an EIP-3009 authorization by the treasury, submitted by the relayer. Its nonce is derived from the signed text, so USDC
// carries it out once, however often it is sent. It is public, so until it expires anybody may send it.

import type { Hex } from "viem";
import { log } from "@/lib/base/observe/log";
import { findAuthorizationUse } from "@/lib/chains/evm/authorization-use";
import { baseChainId } from "@/lib/chains/evm/base";
import type { Block } from "@/lib/chains/evm/blocks";
import { isEvmFailure } from "@/lib/chains/evm/failure";
import { type Head, readHead } from "@/lib/chains/evm/head";
import { evmNodes } from "@/lib/chains/evm/nodes";
import { isAuthorizationUsed, isAuthorizationUsedAnywhere, readSettledAuthorization } from "@/lib/chains/evm/token-state";
import { encodeAuthorizedTransfer, encodeTransfer, usdcAddress } from "@/lib/chains/evm/usdc";
import type { Transaction } from "@/lib/db/prisma";
import { type CallCost, isRelayStopped, type Preparation, type PreparedCall, prepareCall, storeCall } from "@/lib/relay/calls";
import type { Relayed } from "@/lib/relay/relayed";
import { sendStored } from "@/lib/relay/send";
import { NANO_PER_UNIT } from "../custody/limits/paid-orders";
import { signer } from "../custody/signer";
import { payoutNonce } from "../custody/withdrawal-order";
import { failWithdrawal } from "./decisions";
import { delayWithdrawal, finishForgotten, finishWithdrawal, giveUpAttempt, relayIdOf, startAttempt } from "./steps";
import { type OpenWithdrawal, UNDER_WAY } from "./withdrawal";

/** Gas of an authorization beyond a plain transfer: for verifying its signature and storing its nonce. */
const GAS_OF_AUTHORIZATION = 80_000n;

/**
 * Signs a payout, stores it and sends it. The signature is not revealed before it is stored: until then the owner may cancel. False when
 * nothing was stored.
 * @throws PayoutRefused, EvmFailure, SignerUnavailable; nothing is stored then
 */
export async function payOnBase(withdrawal: OpenWithdrawal): Promise<boolean> {
  const prepared = await rehearse(withdrawal);
  if (prepared.kind === "reverts") {
    if (await bookForgotten(withdrawal)) return false;
    if (withdrawal.waitsFor !== "chain")
      log().warn({ withdrawal: withdrawal.id, reason: prepared.reason }, "a payout on Base would fail, so it waits");
    await delayWithdrawal(withdrawal, "chain");
    return false;
  }
  const relayId = relayIdOf({ id: withdrawal.id, attempt: withdrawal.attempt + 1 });
  try {
    const isStored = await startAttempt(withdrawal, (transaction) => signAndStore(withdrawal, { relayId, prepared, transaction }));
    if (isStored) await sendStored(relayId);
    return isStored;
  } catch (error) {
    if (!isRelayStopped(error)) throw error;
    await delayWithdrawal(withdrawal, "chain"); // its rollback restored the state
    return false;
  }
}

interface Storing {
  relayId: string;
  prepared: PreparedCall;
  transaction: Transaction;
}

/** Signs the payout once the relay takes it. Resolves with its expiry. */
async function signAndStore(withdrawal: OpenWithdrawal, { relayId, prepared, transaction }: Storing): Promise<Date | null> {
  let validBefore: Date | null = null;
  const data = async (cost: CallCost) => {
    const { authorization, signature } = await signer().signPayoutOnBase(withdrawal, cost);
    validBefore = new Date(Number(authorization.validBefore) * 1_000);
    return encodeAuthorizedTransfer(authorization, signature);
  };
  await storeCall(relayId, { ...prepared, data }, transaction);
  return validBefore;
}

/**
 * Simulates the treasury's plain transfer, which reveals nothing that a node could submit, and checks whether the order was paid before.
 */
async function rehearse(withdrawal: OpenWithdrawal): Promise<Preparation> {
  const { destination, amount } = withdrawal;
  const { base: from } = signer().treasury;
  const data = encodeTransfer(destination as Hex, amount / NANO_PER_UNIT);
  const [isUsed, prepared] = await Promise.all([
    isAuthorizationUsed(from, payoutNonce(withdrawal)),
    prepareCall({ to: usdcAddress(baseChainId()), data }, evmNodes(), { from, data, moreGas: GAS_OF_AUTHORIZATION }),
  ]);
  return isUsed ? { kind: "reverts", reason: "its authorization was used" } : prepared;
}

/**
 * After a database restore: whether any node shows an unsigned withdrawal as paid. It is booked once that is final.
 * @throws EvmFailure
 */
export async function wasPaidOnBase(withdrawal: OpenWithdrawal): Promise<boolean> {
  if (!(await isAuthorizationUsedAnywhere(signer().treasury.base, payoutNonce(withdrawal)))) return false;
  await bookForgotten(withdrawal);
  return true;
}

/** Books a payout that USDC shows as final. False when it does not. */
async function bookForgotten(withdrawal: OpenWithdrawal): Promise<boolean> {
  const { finalized, doubt } = await readHead();
  const from = signer().treasury.base.toLowerCase() as Hex;
  if (doubt !== null || (await readSettledAuthorization(from, payoutNonce(withdrawal), finalized)) !== true) return false;
  if (!(await finishForgotten(withdrawal, await findPayment(withdrawal, finalized)))) return false;
  log().error({ withdrawal: withdrawal.id }, "this withdrawal was already paid; the database had been rolled back and is now corrected");
  return true;
}

/**
 * The transaction that carried out a payout, no matter who sent it. Null when no node finds it: it is only needed for the explorer link.
 */
async function findPayment(withdrawal: OpenWithdrawal, { number }: Block): Promise<Hex | null> {
  const authorizer = signer().treasury.base.toLowerCase() as Hex;
  try {
    return await findAuthorizationUse({ authorizer, nonce: payoutNonce(withdrawal), toBlock: number });
  } catch (error) {
    if (!isEvmFailure(error)) throw error;
    return null;
  }
}

/** Whether the final block's time has reached the end of the attempt's authorization. */
export const isPastItsTime = ({ validBefore }: OpenWithdrawal, { finalized }: Head): boolean =>
  validBefore !== null && finalized.timestampS * 1_000 >= validBefore.getTime();

/**
 * Ends an attempt that has expired at a final block. USDC then shows definitively whether it was carried out: by our transaction, by
 * somebody who copied it, or never.
 * @throws EvmFailure
 */
export async function endOverdueAttempt(withdrawal: OpenWithdrawal, { finalized }: Head, relayed: Relayed | undefined): Promise<void> {
  const treasury = signer().treasury.base.toLowerCase() as Hex;
  const isUsed = await readSettledAuthorization(treasury, payoutNonce(withdrawal), finalized);
  if (isUsed === null) {
    log().error({ withdrawal: withdrawal.id, block: finalized.number }, "the Base nodes disagree about a payout's outcome, so it waits");
    return;
  }
  if (isUsed) {
    const isOurs = relayed?.state === "succeeded";
    // The relay does not count its block as final yet, but it will.
    if (isOurs && !relayed.isFinal) return;
    log().warn({ withdrawal: withdrawal.id }, "a payout was made by a transaction that we did not send");
    await finishWithdrawal(withdrawal, isOurs ? relayed.hash : await findPayment(withdrawal, finalized));
    return;
  }
  if (relayed?.state === "failed") {
    await failWithdrawal(withdrawal.id, UNDER_WAY, "The chain rejected the payment.");
  } else {
    await giveUpAttempt(withdrawal);
  }
}
