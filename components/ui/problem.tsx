import type { ReactNode } from "react";

/** What went wrong, read out at once. */
export const Problem = ({ children, className = "" }: { children: ReactNode; className?: string }) => (
  <p role="alert" className={`text-sm text-red ${className}`}>
    {children}
  </p>
);
