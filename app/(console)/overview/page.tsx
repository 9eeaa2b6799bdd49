import { ActivityIcon } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { readSite } from "@/app/site";
import { FrozenNotice } from "@/components/console/frozen-notice";
import { BalanceFigures } from "@/components/console/overview/balance-figures";
import { LatestRequests } from "@/components/console/overview/latest-requests";
import { LowBalanceNotice } from "@/components/console/overview/low-balance-notice";
import { NextSteps } from "@/components/console/overview/next-steps";
import { PageHeading } from "@/components/console/page-heading";
import { Panel } from "@/components/console/panel";
import { ActionLink } from "@/components/ui/action-link";
import { SpendChart } from "@/components/ui/chart";
import { EmptyState } from "@/components/ui/empty-state";
import { readOverview } from "@/lib/console/overview";
import { requireOwner } from "../require-owner";

export const metadata: Metadata = { title: "Overview" };

export default async function OverviewPage() {
  const { accountId, isFrozen } = await requireOwner();
  const { isSandbox } = readSite();
  const { available, held, lowBalanceLine, today, month, chart, latest, steps } = await readOverview(accountId);
  return (
    <>
      <PageHeading title="Overview" action={<ActionLink href="/withdraw">Withdraw</ActionLink>} />
      {isFrozen ? <FrozenNotice /> : null}
      {lowBalanceLine === null ? null : <LowBalanceNotice available={available} line={lowBalanceLine} />}
      <NextSteps steps={steps} isSandbox={isSandbox} />
      <BalanceFigures
        available={available}
        held={held}
        today={today}
        month={month}
        unit={isSandbox ? "simulated USD, worth nothing" : "USDC"}
      />
      <Panel title="Spend, last 30 days" aside="Days are UTC" className="mt-10">
        <SpendChart chart={chart} label="Spend by day" empty="Nothing was spent in the last 30 days." />
      </Panel>
      <Panel title="Last requests" aside={latest.length > 0 ? <AllUsageLink /> : null} className="mt-10">
        {latest.length > 0 ? (
          <LatestRequests rows={latest} />
        ) : (
          <EmptyState picture={<ActivityIcon />} title="No requests yet" action={<ActionLink href="/playground">Try a prompt</ActionLink>}>
            Every request stands here with its tokens and its exact cost, as soon as it is answered.
          </EmptyState>
        )}
      </Panel>
    </>
  );
}

const AllUsageLink = () => (
  <Link href="/usage" className="text-copper-ink underline-offset-4 hover:underline">
    All usage
  </Link>
);
