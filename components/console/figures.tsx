import type { ReactNode } from "react";

interface Figure {
  title: string;
  value: ReactNode;
  /** A small line below the figure. */
  note?: ReactNode;
}

interface FiguresProps {
  /** Most important first. */
  figures: readonly Figure[];
  label?: string;
  className: string;
}

/** A page's totals as figures: the first one large; on a phone the first two get a line each, the others share one. */
export function Figures({ figures, label, className }: FiguresProps) {
  const hasNotes = figures.some(({ note }) => note);
  return (
    <dl aria-label={label} className={`grid gap-x-8 max-sm:grid-cols-2 sm:grid-cols-[1.6fr_1fr_1fr_1fr] ${className}`}>
      {figures.map(({ title, value, note }, index) => (
        <div key={title} className={`grid min-w-0 content-between gap-1 ${index < 2 ? "max-sm:col-span-2" : ""}`}>
          <dt className="text-sm text-muted">{title}</dt>
          <dd className="grid gap-0.5">
            <span className={`font-medium tabular-nums ${index === 0 ? "text-xl tracking-tight" : "text-lg"}`}>{value}</span>
            {/* With one note, every figure of a row has the line, so that all stand level. */}
            {hasNotes ? <span className="min-h-4 text-xs text-faint max-sm:empty:hidden">{note}</span> : null}
          </dd>
        </div>
      ))}
    </dl>
  );
}
