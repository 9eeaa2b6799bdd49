"use client";

import { useRouter } from "next/navigation";
import { useId, useTransition } from "react";
import type { AlertEndpoint, AlertsAddress, EventChoice } from "@/lib/console/views/alerts";
import { Button } from "../../ui/button";
import { Select } from "../../ui/field";
import { alertsHref } from "./alerts-address";

interface DeliveryFilterProps {
  address: AlertsAddress;
  endpoints: readonly AlertEndpoint[];
  states: readonly string[];
  choices: readonly EventChoice[];
}

/** The filter of the deliveries. The URL stores it, so that it can be shared and the back button works. */
export function DeliveryFilter({ address, endpoints, states, choices }: DeliveryFilterProps) {
  const router = useRouter();
  const [isPending, startTransition] = useTransition();
  const go = (change: Partial<AlertsAddress>) =>
    startTransition(() => router.push(alertsHref(address, { before: null, ...change }), { scroll: false }));
  const isFiltered = address.endpoint !== null || address.state !== null || address.type !== null;
  return (
    <div aria-busy={isPending} className="mb-4 flex flex-wrap items-end gap-x-4 gap-y-3">
      <Choice
        label="Endpoint"
        all="All endpoints"
        value={address.endpoint}
        options={endpoints.map(({ id, host }) => ({ value: id, text: host }))}
        onChange={(endpoint) => go({ endpoint })}
      />
      <Choice
        label="State"
        all="All states"
        value={address.state}
        options={states.map((state) => ({ value: state, text: state }))}
        onChange={(state) => go({ state })}
      />
      <Choice
        label="Event"
        all="All events"
        value={address.type}
        options={choices.map(({ name }) => ({ value: name, text: name }))}
        onChange={(type) => go({ type })}
      />
      {isFiltered ? (
        <Button look="quiet" onClick={() => go({ endpoint: null, state: null, type: null })}>
          Clear
        </Button>
      ) : null}
      <p role="status" className="h-10 content-center text-xs text-muted empty:hidden">
        {isPending ? "Loading…" : null}
      </p>
    </div>
  );
}

interface ChoiceProps {
  label: string;
  /** The label of "no choice". */
  all: string;
  value: string | null;
  options: readonly { value: string; text: string }[];
  onChange: (value: string | null) => void;
}

function Choice({ label, all, value, options, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <div className="grid gap-1 max-sm:w-[calc(50%-8px)] sm:w-44">
      <label htmlFor={id} className="text-xs text-muted">
        {label}
      </label>
      <Select id={id} value={value ?? ""} onChange={(event) => onChange(event.target.value || null)}>
        <option value="">{all}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </Select>
    </div>
  );
}
