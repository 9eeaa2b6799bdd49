"use client";

import { useRouter } from "next/navigation";
import { type Dispatch, type ReactNode, useId, useTransition } from "react";
import { Button } from "../ui/button";
import { Select } from "../ui/field";

interface FilterProps {
  className?: string;
  /** The page's URL without the filter; null while nothing is filtered. */
  clearHref?: string | null;
  /** Its controls; `go` opens the page at another URL. */
  children: (go: Dispatch<string>) => ReactNode;
  /** After the filters. */
  end?: ReactNode;
}

/** The filter of a list. The URL stores it, so that it can be shared and the back button works. */
export function Filter({ className = "mb-4", clearHref = null, children, end }: FilterProps) {
  const router = useRouter();
  const [isPending, startTransition] = useTransition();
  const go = (href: string) => startTransition(() => router.push(href, { scroll: false }));
  return (
    <div aria-busy={isPending} className={`${className} flex flex-wrap items-end gap-x-4 gap-y-3`}>
      {children(go)}
      {clearHref === null ? null : (
        <Button look="quiet" onClick={() => go(clearHref)}>
          Clear
        </Button>
      )}
      {end}
      <p role="status" className="h-10 content-center text-xs text-muted empty:hidden">
        {isPending ? "Loading…" : null}
      </p>
    </div>
  );
}

interface FilterChoiceProps {
  label: string;
  /** The label of "no choice". */
  all: string;
  value: string | null;
  choices: readonly { value: string; text: string }[];
  onChange: Dispatch<string | null>;
  className: string;
}

export function FilterChoice({ label, all, value, choices, onChange, className }: FilterChoiceProps) {
  const id = useId();
  return (
    <div className={`grid gap-1 ${className}`}>
      <label htmlFor={id} className="text-xs text-muted">
        {label}
      </label>
      <Select id={id} value={value ?? ""} onChange={(event) => onChange(event.target.value || null)}>
        <option value="">{all}</option>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.text}
          </option>
        ))}
      </Select>
    </div>
  );
}
