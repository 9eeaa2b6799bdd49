import { ChevronRightIcon } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "./class-names";

interface FoldSummaryProps {
  children: ReactNode;
  className?: string;
  /** Beside a first line that is higher or lower than a line of text. */
  chevronClassName?: string;
}

/** The line of a `details` that is always there: a chevron says that more is behind it, and turns when it is open. */
export const FoldSummary = ({ children, className, chevronClassName }: FoldSummaryProps) => (
  <summary
    className={classNames(
      "flex cursor-pointer list-none items-center gap-1.5 transition hover:text-ink [&::-webkit-details-marker]:hidden",
      className,
    )}
  >
    <ChevronRightIcon
      aria-hidden="true"
      className={classNames("size-4 shrink-0 text-muted transition [details[open]>summary>&]:rotate-90", chevronClassName)}
    />
    {children}
  </summary>
);
