import type { Metadata } from "next";
import { activityHref } from "@/components/console/activity/activity-address";
import { ActivityFilter } from "@/components/console/activity/activity-filter";
import { ActivityList } from "@/components/console/activity/activity-list";
import { ListPages } from "@/components/console/alerts/list-pages";
import { PageHeading } from "@/components/console/page-heading";
import { ActionLink } from "@/components/ui/action-link";
import { EmptyState } from "@/components/ui/empty-state";
import { activityChoices, readActivity, readActivityQuery } from "@/lib/console/activity/activity";
import { requireOwner } from "../require-owner";

export const metadata: Metadata = { title: "Activity" };

interface ActivityPageProps {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function ActivityPage({ searchParams }: ActivityPageProps) {
  const owner = await requireOwner();
  const query = readActivityQuery(await searchParams);
  const { entries, older, personalDays } = await readActivity(owner, query);
  return (
    <>
      <PageHeading title="Activity">
        Who signed in and who changed wallets, keys, alerts and withdrawals. Nobody can edit or remove an entry.
      </PageHeading>
      <ActivityFilter group={query.group} choices={activityChoices} />
      {entries.length > 0 ? (
        <ActivityList entries={entries} />
      ) : (
        <EmptyState
          title="Nothing here yet"
          action={query.group === null ? undefined : <ActionLink href="/activity">Show everything</ActionLink>}
        >
          {query.group === null ? "Sign-ins and changes appear here as they happen." : "No change of this kind was made."}
        </EmptyState>
      )}
      <ListPages
        label="Pages of activity"
        newest={query.before === null ? null : activityHref(query, { before: null })}
        older={older && activityHref(query, { before: older })}
      />
      <p className="mt-4 text-xs text-muted">
        After {personalDays} days, browsers, addresses, names and signed texts are erased from their entries. The rest is kept.
      </p>
    </>
  );
}
