import type { ReactNode } from "react";

/** An error message, announced at once by screen readers. */
export const Problem = ({ children, className = "" }: { children: ReactNode; className?: string }) => (
  <p role="alert" className={`text-sm text-red ${className}`}>
    {children}
  </p>
);
