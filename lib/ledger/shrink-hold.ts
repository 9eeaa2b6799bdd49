// A hold that is larger than what its request may cost, made to fit.

import type { AccountId, RequestId } from "@/lib/base/ids";
import type { NanoUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";

interface OpenHold {
  requestId: RequestId;
  accountId: AccountId;
  ceiling: NanoUsd;
}

/**
 * Makes an open hold as small as `wanted`, durably; false when there is no such hold any more.
 * @throws Error when it would have to grow, or what pg throws
 */
export async function shrinkHold({ requestId, accountId, ceiling }: OpenHold, wanted: NanoUsd): Promise<boolean> {
  const values = [requestId, accountId, ceiling, wanted];
  const { rows } = await pool().query<{ shrunk: boolean }>("SELECT ledger_shrink_hold($1, $2, $3, $4) AS shrunk", values);
  return rows[0]?.shrunk === true;
}
