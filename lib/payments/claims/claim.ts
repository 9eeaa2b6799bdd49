// Claims: the right of one request to one payment, which its network, its payer and the payer's nonce name for ever. Whoever comes
// with the same payment for the same request finds the claim again, and goes on where it stands.

import { now } from "@/lib/base/clock";
import { type AccountId, type KeyId, newPaymentId, type RequestId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { pool, type Queryable } from "@/lib/db/pool";

declare const paymentIdBrand: unique symbol;

export type PaymentId = string & { readonly [paymentIdBrand]: true };

export type PaymentScheme = "proof" | "exact_evm" | "exact_svm";

type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** A payment as it was signed, for one request. Its signature was checked. */
export interface PaymentTerms {
  scheme: PaymentScheme;
  /** CAIP-2. */
  network: string;
  /** Lower-case hex on EVM chains, base58 on Solana. */
  payer: string;
  /** Unique among the payer's: `req_N` of a proof; of an exact one 32 bytes in lower-case hex, or on Solana the message's SHA-256 in base58. */
  nonce: string;
  /** What it moves, in whole units of USDC. */
  amount: NanoUsd;
  /** Of the key that it came with; null where none is asked for. */
  accountId: AccountId | null;
  keyId: KeyId | null;
  idempotencyKey: string | null;
  /** SHA-256 of the request. */
  bodyHash: Buffer;
  /** From then on its chain refuses it. */
  validUntil: Date;
  /** What its way of settling needs, and reads again. */
  settlement: JsonObject;
}

/**
 * `claimed`: under way; `paid`: on its chain and credited; `covered`: the payer's credit was enough, nothing was submitted;
 * `failed`: nothing moved; `reversed`: it was credited, and its block left the chain for good.
 */
export type ClaimState = "claimed" | "paid" | "covered" | "failed" | "reversed";

export type SettleFailure = "expired" | "allowance_too_low" | "wallet_balance_too_low" | "settlement_failed" | "bad_signature";

export interface PaymentClaim extends PaymentTerms {
  id: PaymentId;
  state: ClaimState;
  /** Counts from 1. */
  attempt: number;
  /** The attempt's transaction is stored in the relay. */
  isRelayed: boolean;
  failure: SettleFailure | null;
  failureMessage: string | null;
  /** Where the money was credited; of a covered one, the credit that it was taken from. */
  creditedAccount: AccountId | null;
  /** On its chain, as far as known. */
  transaction: string | null;
  block: number | null;
  /** Nothing about it changes any more by itself. */
  isFinal: boolean;
  /** The last request that was held from it. */
  requestId: RequestId | null;
  claimedAt: Date;
  wantedAt: Date;
  paidAt: Date | null;
}

export type Claimed =
  | { kind: "claimed"; claim: PaymentClaim; isNew: boolean }
  /** It is another request's, or another account's. */
  | { kind: "replayed" }
  /** The Idempotency-Key is another payment's. */
  | { kind: "idempotency_mismatch" };

type ClaimRow = Omit<PaymentClaim, "amount"> & { amount: bigint };

const columns = `id, scheme, network, payer, nonce, amount, account_id AS "accountId", key_id AS "keyId", idempotency_key AS "idempotencyKey",
  body_hash AS "bodyHash", valid_until AS "validUntil", settlement, state, attempt, relayed AS "isRelayed", failure,
  failure_message AS "failureMessage", credited_account AS "creditedAccount", transaction, block, finalized AS "isFinal",
  request_id AS "requestId", claimed_at AS "claimedAt", wanted_at AS "wantedAt", paid_at AS "paidAt"`;

const claimOf = (row: ClaimRow): PaymentClaim => ({ ...row, amount: nanoUsd(row.amount) });

/**
 * Takes a payment for one request, durably, before it returns; or finds the claim that it has, to go on with. A claim that failed or
 * was reversed is taken anew.
 */
export async function claimPayment(terms: PaymentTerms, database: Queryable = pool()): Promise<Claimed> {
  const wanted = { ...terms, id: newPaymentId(), amount: terms.amount.toString(), bodyHash: terms.bodyHash.toString("hex") };
  const { rows } = await database.query<{ outcome: Claimed["kind"]; isNew: boolean } & ClaimRow>(
    `SELECT t.outcome, t.is_new AS "isNew", ${columns} FROM payments_claim($1, $2) t CROSS JOIN LATERAL (SELECT (t.claim).*) c`,
    [JSON.stringify(wanted), now()],
  );
  const [row] = rows;
  if (!row) throw new Error("The database decided nothing about a claim.");
  const { outcome, isNew, ...claim } = row;
  return outcome === "claimed" ? { kind: outcome, claim: claimOf(claim), isNew } : { kind: outcome };
}

/** The claim of a payment that was seen before. */
export async function findClaim(network: string, payer: string, nonce: string): Promise<PaymentClaim | null> {
  const { rows } = await pool().query<ClaimRow>(`SELECT ${columns} FROM payment_claim WHERE network = $1 AND payer = $2 AND nonce = $3`, [
    network,
    payer,
    nonce,
  ]);
  return rows[0] ? claimOf(rows[0]) : null;
}

/** Somebody has it; a claim that came to nothing may be taken anew. */
export const isTaken = (claim: PaymentClaim | null): claim is PaymentClaim =>
  claim !== null && claim.state !== "failed" && claim.state !== "reversed";

/** @throws Error when there is none */
export async function getClaim(id: string, database: Queryable = pool()): Promise<PaymentClaim> {
  const { rows } = await database.query<ClaimRow>(`SELECT ${columns} FROM payment_claim WHERE id = $1`, [id]);
  if (!rows[0]) throw new Error(`There is no payment ${id}.`);
  return claimOf(rows[0]);
}

/** Under this name the relay knows an attempt; the next one has another. */
export const relayIdOf = ({ id, attempt }: Pick<PaymentClaim, "id" | "attempt">): string => `payment_${id}_${attempt}`;

interface Failure {
  reason: SettleFailure;
  message?: string | undefined;
  /** Its transaction is in a block, cost its fee, and its payer is to blame. */
  isWaste?: boolean;
}

/** An attempt moved nothing and can not any more. `wasRelayed` false: it was never stored. False when the claim goes another way by now. */
export async function noteFailed(
  { id, attempt }: Pick<PaymentClaim, "id" | "attempt">,
  wasRelayed: boolean,
  { reason, message, isWaste = false }: Failure,
): Promise<boolean> {
  const { rows } = await pool().query<{ done: boolean }>("SELECT payments_note_failed($1, $2, $3, $4, $5, $6, $7) AS done", [
    ...[id, attempt, wasRelayed, reason, message ?? null, isWaste, now()],
  ]);
  return rows[0]?.done === true;
}

/** A covered claim that nobody was answered from goes on as one that may be submitted. */
export async function uncover({ id }: Pick<PaymentClaim, "id">): Promise<PaymentClaim> {
  await pool().query("SELECT payments_uncover($1)", [id]);
  return getClaim(id);
}

interface PaidIn {
  transaction: string;
  /** On Solana: the slot. */
  block: number;
}

/** Credits a payment that its chain shows, once. For whoever holds nothing from it: a request credits and holds in one commit. */
export async function creditPayment({ id }: Pick<PaymentClaim, "id">, { transaction, block }: PaidIn): Promise<AccountId> {
  const { rows } = await pool().query<{ account: AccountId }>("SELECT payments_credit($1, $2, $3, $4) AS account", [
    ...[id, transaction, block, now()],
  ]);
  if (!rows[0]) throw new Error(`The payment ${id} was not credited.`);
  return rows[0].account;
}

/**
 * Claims of which something may still come, in these states: what is in the relay, what is over by its time, and what somebody waits for
 * since `waitedSince`. What is in the relay comes first; else they come in no order, so that those that no round can end keep none waiting.
 */
export async function listUnfinished(states: readonly ClaimState[], waitedSince: Date, most: number): Promise<PaymentClaim[]> {
  const { rows } = await pool().query<ClaimRow>(
    `SELECT ${columns} FROM payment_claim
     WHERE finalized = false AND state = ANY ($1::text[]) AND (relayed OR state = 'paid' OR valid_until <= $2 OR (state = 'claimed' AND wanted_at > $3))
     ORDER BY relayed DESC, random() LIMIT $4`,
    [states, now(), waitedSince, most],
  );
  return rows.map(claimOf);
}

/** Whether there is any claim of which something may still come. */
export async function hasUnfinished(): Promise<boolean> {
  const { rows } = await pool().query<{ has: boolean }>("SELECT EXISTS (SELECT FROM payment_claim WHERE finalized = false) AS has");
  return rows[0]?.has === true;
}

const MAX_DELETED = 10_000;

/** Forgets payments that never had a transaction and never can have one. A job runs it. @returns how many */
export async function deleteVoidPayments(): Promise<bigint> {
  const { rows } = await pool().query<{ deleted: bigint }>("SELECT payments_delete_void($1, $2) AS deleted", [now(), MAX_DELETED]);
  return rows[0]?.deleted ?? 0n;
}
