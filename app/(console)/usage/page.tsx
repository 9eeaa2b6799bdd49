import { ActivityIcon, DownloadIcon } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { Figures } from "@/components/console/figures";
import { PageHeading } from "@/components/console/page-heading";
import { Panel } from "@/components/console/panel";
import { ChargesWithReceipts } from "@/components/console/usage/charges-with-receipts";
import { Pager } from "@/components/console/usage/pager";
import { type UsageAddress, usageHref } from "@/components/console/usage/usage-address";
import { UsageFilter } from "@/components/console/usage/usage-filter";
import { ActionLink } from "@/components/ui/action-link";
import { Button } from "@/components/ui/button";
import { ChartLegend, SpendChart } from "@/components/ui/chart/chart";
import { ChartTable } from "@/components/ui/chart/chart-table";
import { EmptyState } from "@/components/ui/empty-state";
import { HeadlineAmount } from "@/components/ui/text/amount";
import { countText } from "@/components/ui/text/number-text";
import { readReceipt } from "@/lib/console/usage/receipts";
import { readUsage } from "@/lib/console/usage/usage";
import { presets, readUsageQuery, type UsageParams, type UsageQuery } from "@/lib/console/usage/usage-query";
import type { UsageView } from "@/lib/console/views/usage";
import { forSession } from "../owner-actions";
import { requireOwner } from "../require-owner";
import { findReceipt } from "./actions";

export const metadata: Metadata = { title: "Usage" };

/** The id of the table: links to other pages of it scroll there. */
const TABLE = "requests";

export default async function UsagePage({ searchParams }: { searchParams: Promise<UsageParams> }) {
  const owner = await requireOwner();
  const { accountId } = owner;
  const { findReceipt: load } = forSession(owner, { findReceipt });
  const params = await searchParams;
  const query = readUsageQuery(params);
  const requestId = Array.isArray(params.receipt) ? params.receipt[0] : params.receipt;
  const [view, receipt] = await Promise.all([readUsage(accountId, query), requestId ? readReceipt(accountId, requestId) : null]);
  const address = addressOf(query);
  const { fromDay, toDay, preset } = query;
  return (
    <>
      <PageHeading title="Usage" action={view.rows.length > 0 ? <ExportLink href={exportHref(query, view)} /> : null}>
        Every charged request and its exact cost. Days are UTC, times are local.
      </PageHeading>
      {query.problem ? (
        <p role="alert" className="mb-6 rounded border border-amber-edge bg-amber-wash px-4 py-3 text-sm text-amber-ink">
          {query.problem}
        </p>
      ) : null}
      <UsageFilter {...{ address, fromDay, toDay, presets, preset }} models={view.models} keys={view.keys} />
      <Figures label="Totals of all pages" figures={figuresOf(view)} className="gap-y-5" />
      <Panel title="Spend" aside={<SplitLinks address={address} split={query.split} />} className="mt-8">
        <SpendChart
          chart={view.chart}
          label={`Spend by day${query.split === "day" ? "" : ` and ${query.split}`}`}
          empty="No spend in this period."
        />
        {query.split === "day" || view.chart.series.length === 0 ? null : (
          <div className="mt-4">
            <ChartLegend chart={view.chart} />
          </div>
        )}
        <ChartTable chart={view.chart} />
      </Panel>
      <div id={TABLE} className="scroll-mt-2">
        <Panel title="Requests" className="mt-8">
          <ChargesWithReceipts rows={view.rows} initial={requestId ? { requestId, receipt } : null} load={load} />
          {view.rows.length > 0 ? <Pages address={address} query={query} view={view} /> : <NoRequests isNew={!view.hasEverCalled} />}
        </Panel>
      </div>
    </>
  );
}

function addressOf({ fromDay, toDay, preset, model, key, split }: UsageQuery): UsageAddress {
  const days =
    preset === null ? { days: null, from: fromDay, to: toDay } : { days: preset === 30 ? null : `${preset}`, from: null, to: null };
  return { ...days, model, key, by: split === "day" ? null : split };
}

/** The totals of the whole filter, independent of the shown page. */
const figuresOf = ({ totals: { cost, requests, inputTokens, outputTokens } }: UsageView) => [
  { title: "Cost", value: <HeadlineAmount nano={cost} /> },
  { title: "Requests", value: countText(requests) },
  { title: "Input tokens", value: countText(inputTokens) },
  { title: "Output tokens", value: countText(outputTokens) },
];

interface PagesProps {
  address: UsageAddress;
  query: UsageQuery;
  view: UsageView;
}

/** Links to the other pages of one listing keep its days, even after midnight. */
function Pages({ address, query, view }: PagesProps) {
  const days = { days: null, from: query.fromDay, to: query.toDay };
  const hrefOf = (direction: "older" | "newer") =>
    view[direction] ? `${usageHref(address, { ...days, [direction]: view[direction] })}#${TABLE}` : null;
  return (
    <Pager
      shown={view.rows.length}
      of={view.totals.requests}
      newest={query.cursor ? `${usageHref(address)}#${TABLE}` : null}
      newer={hrefOf("newer")}
      older={hrefOf("older")}
    />
  );
}

/** Exports exactly the rows in the totals, without newer ones. */
const exportHref = (query: UsageQuery, { mark }: UsageView): string =>
  usageHref(addressOf(query), { days: null, from: query.fromDay, to: query.toDay, by: null, mark: mark.toString() }, "/usage/export");

const ExportLink = ({ href }: { href: string }) => (
  <Button asChild>
    <a href={href} download>
      <DownloadIcon aria-hidden="true" />
      Export CSV
    </a>
  </Button>
);

const NoRequests = ({ isNew }: { isNew: boolean }) =>
  isNew ? (
    <EmptyState
      picture={<ActivityIcon />}
      title="No requests yet"
      action={
        <>
          <ActionLink primary href="/playground">
            Try a prompt
          </ActionLink>
          <ActionLink href="/keys">Create key</ActionLink>
        </>
      }
    >
      Requests appear here with their tokens, exact cost and receipt.
    </EmptyState>
  ) : (
    <EmptyState
      picture={<ActivityIcon />}
      title="No matching requests"
      action={<ActionLink href="/usage">Show the last 30 days</ActionLink>}
    >
      Nothing was charged in this period for this model and key.
    </EmptyState>
  );

const splits = [
  { by: "day", text: "By day" },
  { by: "model", text: "By model" },
  { by: "key", text: "By key" },
];

/** The split of the chart's bars. */
const SplitLinks = ({ address, split }: { address: UsageAddress; split: string }) => (
  <nav aria-label="Split the chart" className="flex gap-4">
    {splits.map(({ by, text }) => (
      <Link
        key={by}
        href={usageHref(address, { by: by === "day" ? null : by })}
        scroll={false}
        aria-current={split === by ? "true" : undefined}
        className="py-1 underline-offset-4 transition hover:text-ink aria-[current]:font-medium aria-[current]:text-ink aria-[current]:underline aria-[current]:decoration-copper aria-[current]:decoration-2"
      >
        {text}
      </Link>
    ))}
  </nav>
);
