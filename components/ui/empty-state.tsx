import type { ReactNode } from "react";

interface EmptyStateProps {
  /** A drawing or an icon; decoration. */
  picture?: ReactNode;
  title: string;
  children: ReactNode;
  /** The next step's button. */
  action?: ReactNode;
}

/** An empty list: what will appear here, and how to get there. */
export function EmptyState({ picture, title, children, action }: EmptyStateProps) {
  return (
    <div className="grid justify-items-center gap-2 rounded border border-dashed border-edge px-6 py-14 text-center">
      {picture ? (
        <div aria-hidden="true" className="mb-2 text-faint [&_svg]:size-8">
          {picture}
        </div>
      ) : null}
      <p className="font-medium">{title}</p>
      <div className="max-w-[48ch] text-sm text-muted">{children}</div>
      {action ? <div className="mt-4 flex flex-wrap justify-center gap-3">{action}</div> : null}
    </div>
  );
}
