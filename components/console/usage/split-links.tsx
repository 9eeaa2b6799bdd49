import Link from "next/link";
import { type UsageAddress, usageHref } from "./usage-address";

const splits = [
  { by: "day", text: "By day" },
  { by: "model", text: "By model" },
  { by: "key", text: "By key" },
];

/** What the chart's bars are split into. */
export const SplitLinks = ({ address, split }: { address: UsageAddress; split: string }) => (
  <nav aria-label="Split the chart" className="flex gap-4">
    {splits.map(({ by, text }) => (
      <Link
        key={by}
        href={usageHref(address, { by: by === "day" ? null : by })}
        scroll={false}
        aria-current={split === by ? "true" : undefined}
        className="py-1 underline-offset-4 transition hover:text-ink aria-[current]:font-medium aria-[current]:text-ink aria-[current]:underline aria-[current]:decoration-copper aria-[current]:decoration-2"
      >
        {text}
      </Link>
    ))}
  </nav>
);
