import type { ReactNode } from "react";

interface PanelProps {
  title: ReactNode;
  /** At the right of the title. */
  aside?: ReactNode;
  children: ReactNode;
  className?: string;
}

/** A titled part of a page, separated by a hairline. */
export const Panel = ({ title, aside, children, className = "" }: PanelProps) => (
  <section className={`border-t border-line pt-4 ${className}`}>
    <div className="mb-4 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
      <h2 className="text-sm font-medium">{title}</h2>
      {aside ? <div className="text-xs text-muted">{aside}</div> : null}
    </div>
    {children}
  </section>
);
