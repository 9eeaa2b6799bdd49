"use client";

import { formatCents, formatUsd } from "@/lib/base/money";

/**
 * A headline in whole cents. The exact amount shows on hover and on focus, which a tap gives, too: Safari does not focus a tapped button by
 * itself. Screen readers read the exact amount.
 */
export function HeadlineAmount({ nano }: { nano: bigint }) {
  const [exact, cents] = [formatUsd(nano), formatCents(nano)];
  if (exact === cents) return <span className="whitespace-nowrap">{exact}</span>;
  return (
    <button type="button" onClick={(event) => event.currentTarget.focus()} className="group relative justify-self-start whitespace-nowrap">
      <span className="sr-only">{exact}</span>
      <span aria-hidden="true">{cents}</span>
      <span
        aria-hidden="true"
        className="absolute top-full left-0 z-20 mt-1 hidden rounded border border-edge bg-paper px-3 py-1.5 font-mono text-xs font-normal tracking-normal text-ink shadow-lg group-hover:block group-focus:block"
      >
        {exact}
      </span>
    </button>
  );
}
