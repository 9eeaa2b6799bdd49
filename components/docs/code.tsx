import type { ReactNode } from "react";

/** A name of the API inside a sentence. */
export const Code = ({ children }: { children: ReactNode }) => (
  <code className="rounded-sm bg-panel px-1 py-px font-mono text-[0.875em] text-ink">{children}</code>
);
