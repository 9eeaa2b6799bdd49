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
  const add = <AddEndpoint add={actions.addEndpoint} choices={choices} mailProblem={view.mailProblem} disabled={owner.isFrozen} />;
  return (
    <>
      {/* Always there: a button among the endpoints would leave the page with its dialog, and a secret in it, once there is one. */}
      <PageHeading title="Alerts" action={add}>
        What happens to your account, and where you hear of it.
      </PageHeading>
      {owner.isFrozen ? <FrozenNotice isLeaving={owner.isLeaving} /> : null}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-10">
        <Panel title="Threshold">
          <LowBalance line={view.lowBalance} save={others.setLowBalance} frozen={owner.isFrozen} />
        </Panel>
        <Panel title="Where you hear">
          {endpoints.length > 0 ? (
            <EndpointList endpoints={endpoints} choices={choices} actions={actions} frozen={owner.isFrozen} />
          ) : (
            <EmptyState picture={<BellIcon />} title="No endpoints yet">
              Add a webhook of your server, a chat of Slack or Discord, or an e-mail address, to hear before your balance runs out.
            </EmptyState>
          )}
        </Panel>
        <Panel title="Deliveries" aside="Kept for 30 days.">
          {endpoints.length > 0 ? <DeliveryFilter address={query} endpoints={endpoints} states={deliveryStates} choices={choices} /> : null}
          <Deliveries query={query} view={view} sendAgain={others.resendDelivery} frozen={owner.isFrozen} />
        </Panel>
        <Panel title="What happened" aside="Kept for 30 days.">
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
      Nothing was sent with these filters.
    </EmptyState>
  ) : (
    <EmptyState title="No deliveries yet">
      Each event that is sent to an endpoint appears here, with every attempt and its answer.
    </EmptyState>
  );
}

function Events({ query, view: { events, olderEvents } }: ListProps) {
  if (events.length === 0 && query.events === null)
    return <EmptyState title="Nothing yet">Deposits, payments, keys and warnings appear here as they happen.</EmptyState>;
  return (
    <>
      {events.length > 0 ? (
        <Timeline events={events} />
      ) : (
        <EmptyState title="Nothing before these">The newest are on the first page.</EmptyState>
      )}
      <ListPages
        label="Pages of events"
        newest={query.events === null ? null : alertsHref(query, { events: null })}
        older={olderEvents && alertsHref(query, { events: olderEvents })}
      />
    </>
  );
}

/** What happened to the account, as sentences. */
const Timeline = ({ events }: { events: readonly HappenedEvent[] }) => (
  <ol aria-label="Events" className="text-sm">
    {events.map(({ id, type, at, sentence }) => (
      <li key={id} className="grid gap-x-4 gap-y-0.5 border-b border-line py-2.5 first:border-t md:grid-cols-[8rem_minmax(0,1fr)]">
        <span className="text-muted">
          <LocalTime at={at} shape="short" />
        </span>
        <span className="min-w-0">
          <span className="block [overflow-wrap:anywhere]">{sentence}</span>
          <span className="font-mono text-xs text-muted">{type}</span>
        </span>
      </li>
    ))}
  </ol>
);
