"use client";

import { useRouter } from "next/navigation";
import { useId, useTransition } from "react";
import { Select } from "../../ui/field";
import { activityHref } from "./activity-address";

interface ActivityFilterProps {
  group: string | null;
  choices: readonly { value: string; text: string }[];
}

/** Narrows the list to one kind of thing. The URL stores it, so that it can be shared and the back button works. */
export function ActivityFilter({ group, choices }: ActivityFilterProps) {
  const id = useId();
  const router = useRouter();
  const [isPending, startTransition] = useTransition();
  const go = (wanted: string) =>
    startTransition(() => router.push(activityHref({ group: wanted || null, before: null }, {}), { scroll: false }));
  return (
    <div aria-busy={isPending} className="mb-4 flex flex-wrap items-end gap-x-4 gap-y-3">
      <div className="grid w-56 gap-1">
        <label htmlFor={id} className="text-xs text-muted">
          About
        </label>
        <Select id={id} value={group ?? ""} onChange={(event) => go(event.target.value)}>
          <option value="">Everything</option>
          {choices.map(({ value, text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </Select>
      </div>
      <p role="status" className="h-10 content-center text-xs text-muted empty:hidden">
        {isPending ? "Loading…" : null}
      </p>
    </div>
  );
}
