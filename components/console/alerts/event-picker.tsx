"use client";

import type { Dispatch } from "react";
import type { EventChoice } from "@/lib/console/views/alerts";

interface EventPickerProps {
  choices: readonly EventChoice[];
  /** Null: all events. */
  chosen: readonly string[] | null;
  onChange: Dispatch<readonly string[] | null>;
  error?: string | null;
}

/** All events, or some of them. */
export function EventPicker({ choices, chosen, onChange, error = null }: EventPickerProps) {
  return (
    <fieldset aria-describedby={error ? "events-note" : undefined} className="grid gap-1.5">
      <legend className="mb-1.5 text-sm font-medium">Events</legend>
      <div className="flex flex-wrap gap-x-6 gap-y-2 text-sm">
        <Choice label="All events, including future ones" checked={chosen === null} onChoose={() => onChange(null)} />
        <Choice label="Selected events" checked={chosen !== null} onChoose={() => onChange(chosen ?? [])} />
      </div>
      {chosen ? <EventList choices={choices} chosen={chosen} onChange={onChange} /> : null}
      {error ? (
        <p id="events-note" role="alert" className="text-xs text-red">
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}

function Choice({ label, checked, onChoose }: { label: string; checked: boolean; onChoose: () => void }) {
  return (
    <label className="flex cursor-pointer items-center gap-2">
      <input type="radio" name="events" checked={checked} onChange={onChoose} className="size-4 accent-copper" />
      {label}
    </label>
  );
}

interface EventListProps {
  choices: readonly EventChoice[];
  chosen: readonly string[];
  onChange: Dispatch<readonly string[]>;
}

function EventList({ choices, chosen, onChange }: EventListProps) {
  const groups = [...new Set(choices.map(({ group }) => group))];
  const toggle = (name: string) => onChange(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]);
  return (
    <div className="mt-1 overflow-hidden rounded border border-edge">
      <div className="max-h-64 overflow-y-auto py-1">
        {groups.map((group) => (
          <fieldset key={group} className="pb-1">
            <legend className="px-3 pt-2 pb-1 text-xs text-muted">{group}</legend>
            {choices.map(({ name, group: itsGroup, when }) =>
              itsGroup === group ? (
                <label key={name} className="flex cursor-pointer items-start gap-2.5 px-3 py-1.5 text-sm hover:bg-panel">
                  <input
                    type="checkbox"
                    checked={chosen.includes(name)}
                    onChange={() => toggle(name)}
                    className="mt-0.5 size-4 shrink-0 accent-copper"
                  />
                  <span className="min-w-0">
                    <span className="block font-mono">{name}</span>
                    <span className="block text-xs text-pretty text-muted">{when}</span>
                  </span>
                </label>
              ) : null,
            )}
          </fieldset>
        ))}
      </div>
      <p role="status" className="border-t border-line px-3 py-1.5 text-xs text-muted">
        {chosen.length} of {choices.length} selected
      </p>
    </div>
  );
}
