// What requests cost, many at once, for lists of something that requests were paid with.

import type { AccountId, RequestId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";

export interface RequestOfAccount {
  accountId: AccountId;
  requestId: RequestId;
}

/**
 * By request id: nano-USD that the account was charged for it, 0 for one that failed; null while it is under way. A request of another
 * account costs this one nothing.
 */
export async function readChargedCosts(requests: readonly RequestOfAccount[]): Promise<ReadonlyMap<RequestId, NanoUsd | null>> {
  const { rows } = await pool().query<{ requestId: RequestId; cost: bigint | null }>(
    `SELECT r.request AS "requestId",
       CASE WHEN h.request_id IS NULL THEN coalesce(c.input_cost + c.output_cost, 0) END AS cost
     FROM unnest($1::text[], $2::text[]) r(account, request)
     LEFT JOIN charge c ON c.account_id = r.account AND c.request_id = r.request
     LEFT JOIN hold h ON h.account_id = r.account AND h.request_id = r.request`,
    [requests.map(({ accountId }) => accountId), requests.map(({ requestId }) => requestId)],
  );
  return new Map(rows.map(({ requestId, cost }) => [requestId, cost === null ? null : nanoUsd(cost)]));
}
