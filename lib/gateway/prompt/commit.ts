// The ledger's commits through our SQL functions, which span access, idempotency keys and the ledger in one statement.

import { processSingleton } from "@/lib/base/process-singleton";
import { type Commit, createCommit } from "@/lib/ledger/commit/commit";

/** The commits of this process. */
export const commit = processSingleton<Commit>("commit", () =>
  createCommit({
    placeHold: "gateway_place_hold",
    settleHold: "gateway_settle_hold",
    decideBatch: "gateway_decide_batch",
    decideItems: "gateway_decide_items",
    expireHolds: "gateway_expire_holds",
    expireOwn: "gateway_expire_own",
    freeDeadHolds: "gateway_free_dead_holds",
    confirmHolds: "gateway_confirm_holds",
  }),
);
