import { ActivityIcon } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { readSite } from "@/app/site";
import { Figures } from "@/components/console/figures";
import { FrozenNotice } from "@/components/console/frozen-notice";
import { LatestRequests } from "@/components/console/overview/latest-requests";
import { NextSteps } from "@/components/console/overview/next-steps";
import { PageHeading } from "@/components/console/page-heading";
import { Panel } from "@/components/console/panel";
import { ActionLink } from "@/components/ui/action-link";
import { SpendChart } from "@/components/ui/chart/chart";
import { sumOf } from "@/components/ui/chart/chart-text";
import { EmptyState } from "@/components/ui/empty-state";
import { HeadlineAmount } from "@/components/ui/text/headline-amount";
import { formatShortUsd } from "@/lib/base/money";
import { readOverview } from "@/lib/console/overview";
import type { Overview } from "@/lib/console/views/overview";
import { requireOwner } from "../require-owner";

export const metadata: Metadata = { title: "Overview" };

export default async function OverviewPage() {
  const { accountId, isFrozen, isLeaving } = await requireOwner();
  const { isSandbox } = readSite();
  const { available, held, lowBalance, today, month, chart, latest, steps } = await readOverview(accountId);
  return (
    <>
      <PageHeading title="Overview" action={steps.isFunded ? <ActionLink href="/withdraw">Withdraw</ActionLink> : null} />
      {isFrozen ? <FrozenNotice isLeaving={isLeaving} /> : null}
      {lowBalance ? <LowBalanceNotice {...lowBalance} /> : null}
      <NextSteps steps={steps} isSandbox={isSandbox} />
      <Figures
        figures={[
          { title: "Available", value: <HeadlineAmount nano={available} />, note: isSandbox ? "simulated USD" : "USDC" },
          { title: "Reserved", value: <HeadlineAmount nano={held} />, note: "for running requests" },
          { title: "Today", value: <HeadlineAmount nano={today} />, note: "since 00:00 UTC" },
          { title: "This month", value: <HeadlineAmount nano={month} />, note: "since the 1st, UTC" },
        ]}
        className="gap-y-6"
      />
      <Panel title="Spend, last 30 days" aside={<ChartTotal chart={chart} />} className="mt-10">
        <SpendChart chart={chart} label="Spend by day" empty="No spend in the last 30 days." />
      </Panel>
      <Panel title="Recent requests" aside={latest.length > 0 ? <AllUsageLink /> : null} className="mt-10">
        {latest.length > 0 ? (
          <LatestRequests rows={latest} />
        ) : (
          <EmptyState picture={<ActivityIcon />} title="No requests yet" action={<ActionLink href="/playground">Try a prompt</ActionLink>}>
            Requests appear here with their tokens and exact cost.
          </EmptyState>
        )}
      </Panel>
    </>
  );
}

/** The sum of the chart's bars. */
const ChartTotal = ({ chart }: Pick<Overview, "chart">) => (
  <>
    <HeadlineAmount nano={sumOf(chart.series.map(({ total }) => total))} /> · Days are UTC
  </>
);

const AllUsageLink = () => (
  <Link href="/usage" className="text-copper-ink underline-offset-4 hover:underline">
    All usage
  </Link>
);

/** The balance is below the owner's alert, `line`. */
const LowBalanceNotice = ({ balance, line }: NonNullable<Overview["lowBalance"]>) => (
  <div
    role="status"
    className="mb-8 flex flex-wrap items-center justify-between gap-x-6 gap-y-2 rounded border border-amber-edge bg-amber-wash px-5 py-3 text-sm text-amber-ink"
  >
    <p>
      <span className="font-medium">
        Balance <HeadlineAmount nano={balance} />.
      </span>{" "}
      Below your {formatShortUsd(line)} alert ·{" "}
      <Link href="/alerts" aria-label="Edit the alert" className="underline underline-offset-4">
        Edit
      </Link>
    </p>
    <Link href="/deposit" className="font-medium underline underline-offset-4">
      Deposit
    </Link>
  </div>
);
