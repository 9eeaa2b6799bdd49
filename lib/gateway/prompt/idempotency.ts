// Idempotency-Key: the same key with the same body within 24 hours gets the first answer again and is charged once. The claim is a row that
// is committed with the hold, and the answer is saved in the commit that charges it.

import { createHash } from "node:crypto";
import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { prisma } from "@/lib/db/prisma";
import { findViolations, type Violation } from "@/lib/ledger/check";
import type { GatewayRequest } from "../http/request";

export interface SavedReply {
  requestId: string;
  status: number;
  streamed: boolean;
  body: string;
}

/** SHA-256 of method, path and body, and of a payment in a header. */
export function hashRequest({ method, path, bodyText, largeBody, headers }: GatewayRequest): Buffer {
  const hash = createHash("sha256")
    .update(`${method} ${path}\n`)
    .update(largeBody ?? bodyText);
  const proof = headers["payment-proof"];
  return (proof === undefined ? hash : hash.update(`\n${proof}`)).digest();
}

/** True when a request of this account has the key, whatever became of it. */
export async function hasClaim(accountId: AccountId, key: string): Promise<boolean> {
  return (await prisma().idempotentReply.count({ where: { accountId, idempotencyKey: key } })) > 0;
}

/** @throws Error when the reply is gone, although the hold has just found it */
export async function getSavedReply(accountId: AccountId, key: string): Promise<SavedReply> {
  const reply = await prisma().idempotentReply.findUnique({
    where: { accountId_idempotencyKey: { accountId, idempotencyKey: key } },
    select: { requestId: true, status: true, streamed: true, body: true },
  });
  if (!reply || reply.status === null) throw new Error("the saved reply of an idempotency key is gone");
  return { requestId: reply.requestId, status: reply.status, streamed: reply.streamed === true, body: reply.body ?? "" };
}

const MAX_DELETED_AT_ONCE = 1_000;

/**
 * Deletes answers after their 24 hours, in batches of one statement each: after a long outage there are many. A job runs it. It waits for
 * no locked row, so it cannot deadlock with requests.
 */
export async function deleteExpiredReplies(nowDate: Date): Promise<number> {
  let deleted = 0;
  for (;;) {
    // Prisma can neither skip locked rows nor delete by a row's address.
    const slice = await prisma().$executeRaw`
      DELETE FROM idempotent_reply r WHERE r.ctid = ANY (ARRAY(
        SELECT o.ctid FROM idempotent_reply o WHERE o.expires_at <= db_time(${nowDate}) AND o.status IS NOT NULL
        ORDER BY o.expires_at LIMIT ${MAX_DELETED_AT_ONCE} FOR UPDATE SKIP LOCKED
      ))`;
    deleted += slice;
    if (slice < MAX_DELETED_AT_ONCE) return deleted;
  }
}

/** Releases the keys of payments that failed while their requests died. A job runs it. @returns how many */
export async function freePaymentKeys(nowDate: Date): Promise<bigint> {
  const [row] = await prisma().$queryRaw<{ freed: bigint }[]>`SELECT gateway_free_keys(${nowDate}) AS freed`;
  return row?.freed ?? 0n;
}

/** Automatic refunds of answers that are kept, and so were delivered. */
export const checkRefunds = (): Promise<Violation[]> => findViolations("SELECT * FROM gateway_check_refunds() LIMIT 100");

/** Answers that were to be kept for a day, and are gone. */
export const checkKept = (): Promise<Violation[]> => findViolations("SELECT * FROM gateway_check_kept($1) LIMIT 100", [now()]);
