// The batches of holds: what arrives while a commit is under way goes into the next one.

import type { KeyRefusal } from "@/lib/access/authenticate";
import { capPeriodEnd } from "@/lib/access/cap-period";
import { now } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { AppError } from "@/lib/base/errors";
import type { AccountId, KeyId, RequestId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { metrics } from "@/lib/base/observe/metrics";
import { once } from "@/lib/base/once";
import { type Batcher, makeBatcher } from "@/lib/db/batcher";
import { isStatementError } from "@/lib/db/failure";
import { hotPool } from "@/lib/db/hot-pool";

interface HoldItem {
  request: RequestId;
  account: AccountId;
  key: KeyId | null;
  ceiling: NanoUsd;
  idempotency: string | null;
  hash: Buffer | null;
}

export type HoldDecision =
  | { outcome: "held"; period: string | null; periodStart: Date | null }
  | { outcome: "insufficient"; available: NanoUsd }
  | { outcome: "cap_reached"; cap: NanoUsd; spent: NanoUsd; resetsAt: Date | null }
  | { outcome: "key_unusable"; reason: KeyRefusal }
  | { outcome: "replay" | "in_progress" | "mismatch" };

interface HoldRow {
  outcome: HoldDecision["outcome"];
  available: bigint | null;
  spent: bigint | null;
  key_state: string | null;
  cap: bigint | null;
  period: string | null;
  period_start: Date | null;
}

const MOST_ITEMS = 256;
/** How long after the provider's own time limit a hold is still safe from the reaper: for the settlement. */
const SETTLE_MARGIN_MS = 60_000;

const batcher = () =>
  once<Batcher<HoldItem, HoldDecision>>("hold batcher", () =>
    makeBatcher({ run: placeHolds, most: MOST_ITEMS, mayRetrySingly: isStatementError }),
  );

/** Decides one hold together with those that arrive beside it. */
export const submitHold = (item: HoldItem): Promise<HoldDecision> => batcher().submit(item);

async function placeHolds(items: readonly HoldItem[]): Promise<HoldDecision[]> {
  const startedAt = performance.now();
  const at = now();
  // A hold outlives the provider's time limit by the margin: whoever settles later than that has died.
  const until = new Date(at.getTime() + config().PROVIDER_TOTAL_TIMEOUT_MS + SETTLE_MARGIN_MS);
  const claims = items.some((item) => item.idempotency !== null);
  const result = await hotPool().query<HoldRow>({
    name: "gateway_place_holds",
    text: `SELECT outcome, available, spent, key_state, cap, period, period_start
           FROM gateway_place_holds($1, $2, $3, $4, $5, $6, $7, $8) ORDER BY ord`,
    values: [
      items.map((item) => item.request),
      items.map((item) => item.account),
      items.map((item) => item.key),
      items.map((item) => item.ceiling),
      claims ? items.map((item) => item.idempotency) : null,
      claims ? items.map((item) => item.hash) : null,
      at,
      until,
    ],
  });
  metrics().ledgerBatchSize.observe({ operation: "hold" }, items.length);
  metrics().ledgerBatchSeconds.observe({ operation: "hold" }, (performance.now() - startedAt) / 1000);
  return result.rows.map(readDecision);
}

function readDecision(row: HoldRow): HoldDecision {
  switch (row.outcome) {
    case "held":
      return { outcome: "held", period: row.cap === null ? null : row.period, periodStart: row.cap === null ? null : row.period_start };
    case "insufficient":
      return { outcome: "insufficient", available: nanoUsd(row.available ?? 0n) };
    case "cap_reached":
      return {
        outcome: "cap_reached",
        cap: nanoUsd(row.cap ?? 0n),
        spent: nanoUsd(row.spent ?? 0n),
        resetsAt: capPeriodEnd(row.period, row.period_start),
      };
    case "key_unusable":
      return { outcome: "key_unusable", reason: readKeyState(row.key_state) };
    default:
      return { outcome: row.outcome };
  }
}

function readKeyState(state: string | null): KeyRefusal {
  if (state === "revoked" || state === "expired") return state;
  return state === "paused" || state === "frozen" ? "disabled" : "unknown";
}

/** The error for a ledger that could not be reached: nothing was charged. */
export function ledgerUnavailable(cause: unknown): AppError {
  return new AppError("INTERNAL_ERROR", {
    message: "The request could not be booked and was not sent to the model",
    details: { reason: "internal", retryable: true },
    cause,
  });
}
