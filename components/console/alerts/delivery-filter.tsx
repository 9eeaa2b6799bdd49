"use client";

import type { AlertEndpoint, AlertsAddress, EventChoice } from "@/lib/console/views/alerts";
import { Filter, FilterChoice } from "../filter";
import { alertsHref } from "./alerts-address";

interface DeliveryFilterProps {
  address: AlertsAddress;
  endpoints: readonly AlertEndpoint[];
  states: readonly string[];
  choices: readonly EventChoice[];
}

/** The filter of the deliveries. */
export function DeliveryFilter({ address, endpoints, states, choices }: DeliveryFilterProps) {
  const hrefOf = (change: Partial<AlertsAddress>) => alertsHref(address, { before: null, ...change });
  const isFiltered = address.endpoint !== null || address.state !== null || address.type !== null;
  const filters = [
    {
      name: "endpoint",
      label: "Destination",
      all: "All destinations",
      choices: endpoints.map(({ id, name }) => ({ value: id, text: name })),
    },
    { name: "state", label: "State", all: "All states", choices: states.map((state) => ({ value: state, text: state })) },
    { name: "type", label: "Event", all: "All events", choices: choices.map(({ name, title }) => ({ value: name, text: title })) },
  ] as const;
  return (
    <Filter clearHref={isFiltered ? hrefOf({ endpoint: null, state: null, type: null }) : null}>
      {(go) =>
        filters.map(({ name, ...choice }) => (
          <FilterChoice
            key={name}
            {...choice}
            value={address[name]}
            onChange={(value) => go(hrefOf({ [name]: value }))}
            className="max-sm:w-[calc(50%-8px)] sm:w-44"
          />
        ))
      }
    </Filter>
  );
}
