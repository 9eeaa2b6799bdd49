"use client";

import type { Dispatch } from "react";
import type { EventChoice } from "@/lib/console/views/alerts";
import { AllOrSome, toggled } from "../all-or-some";

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
    <AllOrSome
      name="events"
      legend="Events"
      all="All events, including future ones"
      some="Selected events"
      chosen={chosen}
      onChange={onChange}
      error={error}
    >
      {chosen ? <EventList choices={choices} chosen={chosen} onChange={onChange} /> : null}
    </AllOrSome>
  );
}

interface EventListProps {
  choices: readonly EventChoice[];
  chosen: readonly string[];
  onChange: Dispatch<readonly string[]>;
}

function EventList({ choices, chosen, onChange }: EventListProps) {
  const groups = [...new Set(choices.map(({ group }) => group))];
  return (
    <div className="mt-1 overflow-hidden rounded border border-edge">
      <div className="max-h-64 overflow-y-auto py-1">
        {groups.map((group) => (
          <fieldset key={group} className="pb-1">
            <legend className="px-3 pt-2 pb-1 text-xs text-muted">{group}</legend>
            {choices.map(({ name, title, group: itsGroup, when }) =>
              itsGroup === group ? (
                <label key={name} className="flex cursor-pointer items-start gap-2.5 px-3 py-1.5 text-sm hover:bg-panel">
                  <input
                    type="checkbox"
                    checked={chosen.includes(name)}
                    onChange={() => onChange(toggled(chosen, name))}
                    className="mt-0.5 size-4 shrink-0 accent-copper"
                  />
                  <span className="min-w-0">
                    <span className="block">
                      {title} <span className="font-mono text-xs text-muted">{name}</span>
                    </span>
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
