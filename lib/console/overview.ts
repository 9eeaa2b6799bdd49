// The overview: the account's balance, its spend, its latest requests, and the next onboarding steps.

import { hasMadeKey } from "@/lib/access/key-names";
import { DAY_MS, nowMs } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { hasEndpoint } from "@/lib/events/endpoints";
import { readBalance, readLowLine } from "@/lib/ledger/accounts";
import { type DaySpend, readSpendByDay } from "@/lib/ledger/spend-by-day";
import { LAST_SEQUENCE, listLatestRequests } from "@/lib/ledger/usage";
import { readKeyLabels } from "./keys/key-labels";
import { chartStart, spendChart } from "./usage/spend-chart";
import { usageRow } from "./usage/usage";
import { addDays, dayOf } from "./usage/usage-query";
import type { Overview } from "./views/overview";

const CHART_DAYS = 30;
const LATEST = 8;

export async function readOverview(accountId: AccountId): Promise<Overview> {
  const toDay = dayOf(nowMs());
  const monthDay = `${toDay.slice(0, 7)}-01`;
  const chartDay = addDays(toDay, 1 - CHART_DAYS);
  const firstDay = monthDay < chartDay ? monthDay : chartDay;
  const span = { accountId, fromMs: Date.parse(firstDay), toMs: Date.parse(toDay) + DAY_MS, mark: LAST_SEQUENCE };
  const [balance, spend, latest, line, hasKey, hasDestination] = await Promise.all([
    readBalance(accountId),
    readSpendByDay(span),
    listLatestRequests(accountId, LATEST),
    readLowLine(accountId),
    hasMadeKey(accountId),
    hasEndpoint(accountId),
  ]);
  const labelOf = await readKeyLabels(
    accountId,
    latest.map(({ keyId }) => keyId),
  );
  const hasCalled = latest.length > 0;
  const charted = spend.filter(({ day }) => day >= chartDay);
  return {
    available: balance.available,
    held: balance.held,
    // As the event balance.low compares: the available balance goes down and up with every request.
    lowBalance: line !== null && balance.posted < line ? { balance: balance.posted, line } : null,
    today: costSince(spend, toDay),
    month: costSince(spend, monthDay),
    chart: spendChart(charted, chartStart({ accountId, spend: charted, fromDay: chartDay, toDay }), toDay, () => "Spend"),
    latest: latest.map((row) => usageRow(row, labelOf(row.keyId))),
    // A charged account was funded once.
    steps: { isFunded: balance.posted > 0n || hasCalled, hasKey, hasCalled, hasAlert: hasDestination || line !== null },
  };
}

const costSince = (spend: readonly DaySpend[], firstDay: string): bigint =>
  spend.reduce((sum, { day, cost }) => (day >= firstDay ? sum + cost : sum), 0n);
