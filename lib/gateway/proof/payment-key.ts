// Idempotency-Keys of payments: a payment's key is marked among the saved replies, so that no request paid from the balance takes it. The
// mark is committed before the payment is claimed, and a mark without a payment is removed: by its own request, or after a minute by a job
// (`freePaymentKeys`).

import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { prisma } from "@/lib/db/prisma";
import type { GatewayRequest } from "../http/request";

/** False when a request paid from the balance has the key. */
export async function markIdempotencyKey(accountId: AccountId, key: string, request: GatewayRequest): Promise<boolean> {
  // This locks the account, so that a hold under the same key comes either before or after it.
  const [row] = await prisma().$queryRaw<{ isFree: boolean }[]>`
    SELECT gateway_mark_key(${accountId}, ${key}, ${request.id}, ${now()}::timestamptz) AS "isFree"`;
  return row?.isFree === true;
}

/** Removes the mark of a request whose payment failed, unless another request marked the key since, or a payment has it. */
export async function freeIdempotencyKey(accountId: AccountId, key: string, request: GatewayRequest): Promise<void> {
  // SQL decides which keys payments have, since the job needs it there, too; a later mark names another request, and stays.
  await prisma().$executeRaw`
    DELETE FROM idempotent_reply
    WHERE account_id = ${accountId} AND idempotency_key = ${key} AND request_id = ${request.id} AND status = 0
      AND NOT payments_has_key(account_id, idempotency_key, ${now()}::timestamptz)`;
}
