// The ledger's commits through our SQL functions, which span access, idempotency keys and the ledger in one statement: see
// prisma/functions/gateway/holds.sql.

import { processSingleton } from "@/lib/base/process-singleton";
import type { SqlCall } from "@/lib/ledger/commit/codec";
import { type Commit, createCommit } from "@/lib/ledger/commit/commit";

const call = (name: string, ...values: readonly unknown[]): SqlCall => ({
  name,
  text: `${name}(${values.map((_, index) => `$${index + 1}`).join(", ")})`,
  values,
});

/** The commits of this process. */
export const commit = processSingleton<Commit>("commit", () =>
  createCommit({
    placeHold: (...values) => call("gateway_place_hold", ...values),
    settleHold: (...values) => call("gateway_settle_hold", ...values),
    decideBatch: (...values) => call("gateway_decide_batch", ...values),
    decideItems: (...values) => call("gateway_decide_items", ...values),
    expireHolds: (...values) => call("gateway_expire_holds", ...values),
    expireOwn: (...values) => call("gateway_expire_own", ...values),
    freeDeadHolds: (...values) => call("gateway_free_dead_holds", ...values),
    confirmHolds: (...values) => call("gateway_confirm_holds", ...values),
  }),
);
