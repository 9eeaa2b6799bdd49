import { BellIcon } from "lucide-react";
import type { Metadata } from "next";
import { AddEndpoint } from "@/components/console/alerts/add-endpoint";
import { alertsHref } from "@/components/console/alerts/alerts-address";
import { DeliveryFilter } from "@/components/console/alerts/delivery-filter";
import { DeliveryList } from "@/components/console/alerts/delivery-list";
import { EndpointList } from "@/components/console/alerts/endpoint-list";
import { ListPages } from "@/components/console/alerts/list-pages";
import { LowBalance } from "@/components/console/alerts/low-balance";
import { FrozenNotice } from "@/components/console/frozen-notice";
import { PageHeading } from "@/components/console/page-heading";
import { Panel } from "@/components/console/panel";
import { ActionLink } from "@/components/ui/action-link";
import { EmptyState } from "@/components/ui/empty-state";
import { LocalTime } from "@/components/ui/text/local-time";
import { listEventChoices, readAlerts } from "@/lib/console/alerts/alerts";
import { type AlertsQuery, deliveryStates, readAlertsQuery } from "@/lib/console/alerts/alerts-form";
import type { AlertsView, HappenedEvent } from "@/lib/console/views/alerts";
import { forSession } from "../owner-actions";
import { requireOwner } from "../require-owner";
import {
  addEndpoint,
  chooseEvents,
  removeEndpoint,
  renameEndpoint,
  renewSecret,
  requestConfirmation,
  resendDelivery,
  resendFailed,
  sendSample,
  setLowBalance,
  switchOff,
  switchOn,
} from "./actions";

export const metadata: Metadata = { title: "Alerts" };

interface AlertsPageProps {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

const endpointActions = {
  addEndpoint,
  requestConfirmation,
  chooseEvents,
  removeEndpoint,
  renameEndpoint,
  renewSecret,
  resendFailed,
  sendSample,
  switchOff,
  switchOn,
};

export default async function AlertsPage({ searchParams }: AlertsPageProps) {
  const owner = await requireOwner();
  const query = readAlertsQuery(await searchParams);
  const view = await readAlerts(owner, query);
  const choices = listEventChoices();
  const actions = forSession(owner, endpointActions);
  const others = forSession(owner, { resendDelivery, setLowBalance });
  const { endpoints } = view;
  const add = <AddEndpoint add={actions.addEndpoint} choices={choices} offersMail={view.offersMail} disabled={owner.isFrozen} />;
  return (
    <>
      {/* Always there: a button among the destinations would leave the page with its dialog, and a secret in it, once there is one. */}
      <PageHeading title="Alerts" action={add}>
        Get notified about deposits, low balance and key activity.
      </PageHeading>
      {owner.isFrozen ? <FrozenNotice isLeaving={owner.isLeaving} /> : null}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-10">
        <Panel title="Low balance">
          <LowBalance line={view.lowBalance} save={others.setLowBalance} frozen={owner.isFrozen} />
        </Panel>
        <Panel title="Destinations">
          {endpoints.length > 0 ? (
            <EndpointList endpoints={endpoints} choices={choices} actions={actions} frozen={owner.isFrozen} />
          ) : (
            <EmptyState picture={<BellIcon />} title="No destinations yet">
              {view.offersMail
                ? "Add a webhook, a Slack or Discord channel, or an email address"
                : "Add a webhook, or a Slack or Discord channel"}
              , and get notified before your balance runs out.
            </EmptyState>
          )}
        </Panel>
        <Panel title="Deliveries" aside="Kept for 30 days.">
          {endpoints.length > 0 ? <DeliveryFilter address={query} endpoints={endpoints} states={deliveryStates} choices={choices} /> : null}
          <Deliveries query={query} view={view} sendAgain={others.resendDelivery} frozen={owner.isFrozen} />
        </Panel>
        <Panel title="Events" aside="Kept for 30 days.">
          <Events query={query} view={view} />
        </Panel>
      </div>
    </>
  );
}

interface DeliveriesProps extends ListProps {
  sendAgain: Parameters<typeof DeliveryList>[0]["sendAgain"];
  frozen: boolean;
}

interface ListProps {
  query: AlertsQuery;
  view: AlertsView;
}

function Deliveries({ query, view: { deliveries, olderDeliveries }, sendAgain, frozen }: DeliveriesProps) {
  const isNarrowed = [query.endpoint, query.state, query.type, query.before].some((part) => part !== null);
  const all = alertsHref(query, { endpoint: null, state: null, type: null, before: null });
  if (deliveries.length > 0) {
    return (
      <>
        <DeliveryList deliveries={deliveries} sendAgain={sendAgain} frozen={frozen} />
        <ListPages
          label="Pages of deliveries"
          newest={query.before === null ? null : alertsHref(query, { before: null })}
          older={olderDeliveries && alertsHref(query, { before: olderDeliveries })}
        />
      </>
    );
  }
  return isNarrowed ? (
    <EmptyState title="No deliveries match" action={<ActionLink href={all}>Show all deliveries</ActionLink>}>
      No event was sent that matches these filters.
    </EmptyState>
  ) : (
    <EmptyState title="No deliveries yet">Each event sent to a destination appears here, with every attempt and its response.</EmptyState>
  );
}

function Events({ query, view: { events, olderEvents } }: ListProps) {
  if (events.length === 0 && query.events === null)
    return <EmptyState title="No events yet">Deposits, payments, key changes and warnings appear here as they happen.</EmptyState>;
  return (
    <>
      {events.length > 0 ? (
        <Timeline events={events} />
      ) : (
        <EmptyState title="No older events">The newest events are on the first page.</EmptyState>
      )}
      <ListPages
        label="Pages of events"
        newest={query.events === null ? null : alertsHref(query, { events: null })}
        older={olderEvents && alertsHref(query, { events: olderEvents })}
      />
    </>
  );
}

/** The events of the account, as sentences. */
const Timeline = ({ events }: { events: readonly HappenedEvent[] }) => (
  <ol aria-label="Events" className="text-sm">
    {events.map(({ id, type, title, at, sentence }) => (
      <li key={id} className="grid gap-x-4 gap-y-0.5 border-b border-line py-2.5 first:border-t md:grid-cols-[8rem_minmax(0,1fr)]">
        <span className="text-muted">
          <LocalTime at={at} shape="short" />
        </span>
        <span className="min-w-0">
          <span className="block [overflow-wrap:anywhere]">{sentence}</span>
          <span className="text-xs text-muted">
            {title} · <span className="font-mono">{type}</span>
          </span>
        </span>
      </li>
    ))}
  </ol>
);
