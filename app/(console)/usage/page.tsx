import { ActivityIcon, DownloadIcon } from "lucide-react";
import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { Figures } from "@/components/console/figures";
import { PageHeading } from "@/components/console/page-heading";
import { Panel } from "@/components/console/panel";
import { ChargesWithReceipts } from "@/components/console/usage/charges-with-receipts";
import { ChoiceLinks } from "@/components/console/usage/choice-links";
import { FailuresList } from "@/components/console/usage/failures-list";
import { Pager } from "@/components/console/usage/pager";
import { RequestSearch, SearchResult } from "@/components/console/usage/request-search";
import { RunningList } from "@/components/console/usage/running-list";
import { inputParts, outputParts } from "@/components/console/usage/token-parts";
import { type UsageAddress, usageHref } from "@/components/console/usage/usage-address";
import { UsageFilter } from "@/components/console/usage/usage-filter";
import { ActionLink } from "@/components/ui/action-link";
import { Button } from "@/components/ui/button";
import { ChartLegend, SpendChart } from "@/components/ui/chart/chart";
import { ChartTable } from "@/components/ui/chart/chart-table";
import { EmptyState } from "@/components/ui/empty-state";
import { HeadlineAmount } from "@/components/ui/text/headline-amount";
import { countText } from "@/components/ui/text/number-text";
import { readFailure, readFailures } from "@/lib/console/usage/failures";
import { readReceipt } from "@/lib/console/usage/receipts";
import { readUsage } from "@/lib/console/usage/usage";
import { presets, readUsageQuery, type UsageParams, type UsageQuery } from "@/lib/console/usage/usage-query";
import { type FailuresView, statuses } from "@/lib/console/views/failures";
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
  const [receiptId, searchedId] = [firstOf(params.receipt), firstOf(params.request)?.trim() || null];
  // A charged request that is searched for opens its receipt.
  if (searchedId && (await readReceipt(accountId, searchedId))) redirect(`/usage?receipt=${searchedId}`);
  const [view, failures, receipt, failure] = await Promise.all([
    readUsage(accountId, query),
    readFailures(accountId, query),
    receiptId ? readReceipt(accountId, receiptId) : null,
    searchedId ? readFailure(accountId, searchedId) : null,
  ]);
  const address = addressOf(query);
  const { fromDay, toDay, preset } = query;
  return (
    <>
      <PageHeading title="Usage" action={view.rows.length > 0 ? <ExportLink href={exportHref(query, view)} /> : null}>
        Every request, its exact cost and, if it failed, the reason. Days are UTC; times are in your time zone.
      </PageHeading>
      {query.problem ? (
        <p role="alert" className="mb-6 rounded border border-amber-edge bg-amber-wash px-4 py-3 text-sm text-amber-ink">
          {query.problem}
        </p>
      ) : null}
      {searchedId ? <SearchResult requestId={searchedId.slice(0, 100)} found={failure} /> : null}
      <UsageFilter
        address={address}
        fromDay={fromDay}
        toDay={toDay}
        presets={presets}
        preset={preset}
        models={view.models}
        keys={view.keys}
      >
        <RequestSearch requestId={searchedId} />
      </UsageFilter>
      <Figures label="Totals of all pages" figures={figuresOf(view)} className="gap-y-5" />
      <Panel title="Spend" aside={<SplitLinks address={address} split={query.split} />} className="mt-8">
        <SpendChart
          chart={view.chart}
          label={`Spend by day${query.split === "day" ? "" : ` and ${query.split}`}`}
          empty="You spent nothing on these days."
        />
        {query.split === "day" || view.chart.series.length === 0 ? null : (
          <div className="mt-4">
            <ChartLegend chart={view.chart} />
          </div>
        )}
        <ChartTable chart={view.chart} />
      </Panel>
      <div id={TABLE} className="scroll-mt-2">
        <Panel title="Requests" aside={<Statuses query={query} view={view} failures={failures} />} className="mt-8">
          <RunningList rows={view.running} />
          <ChargesWithReceipts
            rows={query.status === "charged" ? view.rows : []}
            initial={receiptId ? { requestId: receiptId, receipt } : null}
            load={load}
          />
          {query.status !== "charged" ? (
            <FailuresList
              kind={query.status}
              view={failures}
              newest={query.before === null ? null : `${usageHref(address)}#${TABLE}`}
              older={failures.older && `${usageHref(address, { before: failures.older })}#${TABLE}`}
            />
          ) : view.rows.length > 0 ? (
            <Pages address={address} query={query} view={view} />
          ) : (
            <NoRequests isNew={!view.hasEverCalled} />
          )}
        </Panel>
      </div>
    </>
  );
}

const firstOf = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

interface StatusesProps {
  query: UsageQuery;
  view: UsageView;
  failures: FailuresView;
}

const statusText = { charged: "Charged", refused: "Refused", failed: "Failed" } as const;

/** Chooses which requests are listed, with how many there are of each status. */
function Statuses({ query, view, failures }: StatusesProps) {
  const counts = { charged: view.totals.requests, ...failures.counts };
  const choices = statuses.map((status) => ({
    href: usageHref(addressOf(query), { status: status === "charged" ? null : status }),
    text: `${statusText[status]} ${countText(counts[status])}`,
    isCurrent: query.status === status,
  }));
  return <ChoiceLinks label="Status" choices={choices} />;
}

function addressOf({ fromDay, toDay, preset, model, key, split, status }: UsageQuery): UsageAddress {
  const days =
    preset === null ? { days: null, from: fromDay, to: toDay } : { days: preset === 30 ? null : `${preset}`, from: null, to: null };
  return { ...days, model, key, by: split === "day" ? null : split, status: status === "charged" ? null : status };
}

/** The totals of the whole filter, independent of the shown page. */
const figuresOf = ({ totals }: UsageView) => [
  { title: "Cost", value: <HeadlineAmount nano={totals.cost} /> },
  { title: "Requests", value: countText(totals.requests) },
  { title: "Input tokens", value: countText(totals.inputTokens), note: inputParts(totals) },
  { title: "Output tokens", value: countText(totals.outputTokens), note: outputParts(totals) },
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
  usageHref(
    addressOf(query),
    { days: null, from: query.fromDay, to: query.toDay, by: null, status: null, mark: mark.toString() },
    "/usage/export",
  );

const ExportLink = ({ href }: { href: string }) => (
  <Button asChild>
    <a href={href} download>
      <DownloadIcon aria-hidden="true" />
      Export charges (CSV)
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
      Each request appears here with its tokens, exact cost and receipt.
    </EmptyState>
  ) : (
    <EmptyState picture={<ActivityIcon />} title="No requests match" action={<ActionLink href="/usage">Show the last 30 days</ActionLink>}>
      No charges on these days match these filters.
    </EmptyState>
  );

const splits = [
  { by: "day", text: "By day" },
  { by: "model", text: "By model" },
  { by: "key", text: "By key" },
];

const SplitLinks = ({ address, split }: { address: UsageAddress; split: string }) => (
  <ChoiceLinks
    label="Split the chart"
    choices={splits.map(({ by, text }) => ({ href: usageHref(address, { by: by === "day" ? null : by }), text, isCurrent: split === by }))}
  />
);
