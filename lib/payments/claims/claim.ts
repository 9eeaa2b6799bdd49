// Claims: the right of one request to one payment, which is identified forever by its network, its payer and the payer's nonce. The same
// payment for the same request finds its claim again, and continues from its state.

import { now } from "@/lib/base/clock";
import type { AccountId, KeyId, RequestId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import type { SettleFailure } from "@/lib/chains/payment-failure";
import { type Prisma, prisma } from "@/lib/db/prisma";

declare const paymentIdBrand: unique symbol;

export type PaymentId = string & { readonly [paymentIdBrand]: true };

export type PaymentScheme = "proof" | "exact_evm" | "exact_svm";

type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** A payment as it was signed, for one request. Its signature has been checked. */
export interface PaymentTerms {
  scheme: PaymentScheme;
  /** CAIP-2. */
  network: string;
  /** Lower-case hex on EVM chains, base58 on Solana. */
  payer: string;
  /**
   * Unique per payer. Of a proof: `req_N`; of an exact payment 32 bytes in lower-case hex, or on Solana the message's SHA-256 in base58.
   */
  nonce: string;
  /** The amount that it moves, in whole units of USDC. */
  amount: NanoUsd;
  /** The account of the API key that it came with; null where no key is needed. */
  accountId: AccountId | null;
  keyId: KeyId | null;
  idempotencyKey: string | null;
  /** The text that its client chose for it (x402's payment-identifier), unique among all payments. */
  identifier: string | null;
  /** SHA-256 of the request. */
  bodyHash: Buffer;
  /** Its chain refuses it from then on. */
  validUntil: Date;
  /** Data that its settlement strategy stores and reads back. */
  settlement: JsonObject;
}

/**
 * `claimed`: under way; `paid`: on its chain and credited; `covered`: the payer's credit was enough, nothing was submitted;
 * `failed`: nothing moved; `reversed`: it was credited, and its block left the chain for good.
 */
export type PaymentState = "claimed" | "paid" | "covered" | "failed" | "reversed";

export interface PaymentClaim extends PaymentTerms {
  id: PaymentId;
  state: PaymentState;
  /** Counts from 1. */
  attempt: number;
  /** Whether the attempt's transaction is stored in the relay. */
  isRelayed: boolean;
  failure: SettleFailure | null;
  failureMessage: string | null;
  /** The account that the money was credited to; of a covered payment, the credit that paid. */
  creditedAccount: AccountId | null;
  /** Its transaction on its chain, as far as known. */
  transaction: string | null;
  block: number | null;
  /** Nothing about it changes automatically any more. */
  isFinal: boolean;
  /** The last request that was held from it. */
  requestId: RequestId | null;
  claimedAt: Date;
  wantedAt: Date;
  paidAt: Date | null;
}

/** Columns that are not part of a PaymentClaim: the books and the limit on failed transactions use them. */
export const hiddenColumns = { timesReversed: true, onTrust: true } as const;

type ClaimRow = Prisma.PaymentClaimGetPayload<{ omit: typeof hiddenColumns }>;

/** Only this folder writes claims, so a row always matches these types. */
export function readClaim({ relayed, finalized, ...row }: ClaimRow): PaymentClaim {
  return {
    ...row,
    id: row.id as PaymentId,
    scheme: row.scheme as PaymentScheme,
    amount: nanoUsd(row.amount),
    accountId: row.accountId as AccountId | null,
    keyId: row.keyId as KeyId | null,
    bodyHash: Buffer.from(row.bodyHash),
    settlement: row.settlement as JsonObject,
    state: row.state as PaymentState,
    failure: row.failure as SettleFailure | null,
    creditedAccount: row.creditedAccount as AccountId | null,
    requestId: row.requestId as RequestId | null,
    isRelayed: relayed,
    isFinal: finalized,
  };
}

/** The claim of a payment; null when the payment was never claimed. */
export async function findClaim(network: string, payer: string, nonce: string): Promise<PaymentClaim | null> {
  const where = { network_payer_nonce: { network, payer, nonce } };
  const row = await prisma().paymentClaim.findUnique({ where, omit: hiddenColumns });
  return row && readClaim(row);
}

/** The claim of the payment with this identifier. */
export async function findIdentified(identifier: string): Promise<PaymentClaim | null> {
  const row = await prisma().paymentClaim.findUnique({ where: { identifier }, omit: hiddenColumns });
  return row && readClaim(row);
}

/** States in which nothing moved, or nothing is left: another request may take the payment. */
export const freeStates: readonly PaymentState[] = ["failed", "reversed"];

/** True while a request has the claim; a failed or reversed claim may be taken again. */
export const isTaken = (claim: PaymentClaim | null): claim is PaymentClaim => claim !== null && !freeStates.includes(claim.state);

/** @throws Error when there is none */
export async function getClaim(id: string): Promise<PaymentClaim> {
  const row = await prisma().paymentClaim.findUnique({ where: { id }, omit: hiddenColumns });
  if (!row) throw new Error(`There is no payment ${id}.`);
  return readClaim(row);
}

/** The relay's id of this attempt's transaction; the next attempt has another. */
export const relayIdOf = ({ id, attempt }: Pick<PaymentClaim, "id" | "attempt">): string => `payment_${id}_${attempt}`;

/**
 * Unfinished claims in these states: those in the relay, paid ones, those whose time is over, and claims that a request has wanted since
 * `waitedSince`. Those in the relay come first; the others come in random order, so that claims that no round can end do not keep others
 * waiting.
 */
export async function listUnfinished(states: readonly PaymentState[], waitedSince: Date, max: number): Promise<PaymentClaim[]> {
  // Prisma has no random order.
  const chosen = await prisma().$queryRaw<{ id: string }[]>`
    SELECT id FROM payment_claim
    WHERE finalized = false AND state = ANY (${states}::text[])
      AND (relayed OR state = 'paid' OR valid_until <= ${now()}::timestamptz OR (state = 'claimed' AND wanted_at > ${waitedSince}::timestamptz))
    ORDER BY relayed DESC, random() LIMIT ${max}`;
  const ids = chosen.map(({ id }) => id);
  const where = { id: { in: ids }, state: { in: [...states] }, finalized: false };
  const rows = await prisma().paymentClaim.findMany({ where, omit: hiddenColumns });
  const claims = new Map<string, PaymentClaim>(rows.map((row) => [row.id, readClaim(row)]));
  return ids.flatMap((id) => claims.get(id) ?? []);
}

/** Whether any claim is unfinished. */
export const hasUnfinished = async (): Promise<boolean> =>
  (await prisma().paymentClaim.findFirst({ where: { finalized: false }, select: { id: true } })) !== null;
