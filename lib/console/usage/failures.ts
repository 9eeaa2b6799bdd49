// An account's refused and failed requests for the usage page, under the same filters as its charges.

import { z } from "zod";
import { countFailures, type FailureLine, findFailure, listFailures } from "@/lib/access/failures/list-failed";
import { errorCatalogue } from "@/lib/base/errors";
import { type AccountId, madeAtMs, type RequestId } from "@/lib/base/ids";
import { readChargedCosts } from "@/lib/ledger/receipt";
import { type KeyLabel, readKeyLabels } from "../keys/key-labels";
import type { FailureRow, FailuresView } from "../views/failures";
import { usageSpan } from "./usage";
import type { UsageQuery } from "./usage-query";

const PAGE_ROWS = 50;
const requestIdText = z.string().regex(/^req_[0-9A-Za-z]{20}$/);

/** The page of `query.status`; for the charged ones only the counts of the others. */
export async function readFailures(accountId: AccountId, query: UsageQuery): Promise<FailuresView> {
  const filter = usageSpan(accountId, query);
  const kind = query.status === "charged" ? null : query.status;
  const [{ listed, unlisted }, found] = await Promise.all([
    countFailures(filter),
    kind ? listFailures(filter, kind, PAGE_ROWS, query.before) : [],
  ]);
  // Requests that were only counted have no model and no key: no filter can tell whether it selects them.
  const isWhole = query.model === null && query.key === null;
  const rows = found.slice(0, PAGE_ROWS);
  return {
    rows: await labelled(accountId, rows),
    older: found.length > PAGE_ROWS ? (rows.at(-1)?.requestId ?? null) : null,
    counts: isWhole
      ? { refused: listed.refused + unlisted.refused, failed: listed.failed + unlisted.failed }
      : { refused: listed.refused, failed: listed.failed },
    unlisted: { count: kind ? unlisted[kind] : 0, isInCounts: isWhole },
  };
}

/** This account's refused or failed request; null for a malformed, unknown or foreign id: the caller must not learn which. */
export async function readFailure(accountId: AccountId, requestId: string): Promise<FailureRow | null> {
  const parsed = requestIdText.safeParse(requestId);
  const found = parsed.success ? await findFailure(accountId, parsed.data) : null;
  return found ? ((await labelled(accountId, [found]))[0] ?? null) : null;
}

async function labelled(accountId: AccountId, lines: readonly FailureLine[]): Promise<FailureRow[]> {
  const keyIds = lines.map(({ keyId }) => keyId);
  const requests = lines.map(({ requestId }) => ({ accountId, requestId }));
  const [labelOf, costs] = await Promise.all([readKeyLabels(accountId, keyIds), readChargedCosts(requests)]);
  return lines.map((line) => failureRow(line, labelOf(line.keyId), costs));
}

type Costs = ReadonlyMap<RequestId, bigint | null>;

function failureRow({ requestId, model, status, code }: FailureLine, key: KeyLabel, costs: Costs): FailureRow {
  const { title, fix } = Object.hasOwn(errorCatalogue, code)
    ? errorCatalogue[code as keyof typeof errorCatalogue]
    : { title: code, fix: "This error code is no longer in use." };
  const startedAt = new Date(madeAtMs(requestId));
  return { requestId, startedAt, model, key: key.text, status, code, title, fix, cost: costs.get(requestId) ?? null };
}
