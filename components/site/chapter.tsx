import type { ReactNode } from "react";

/** A part of a public page, under a title and a hairline. */
export const Chapter = ({ title, className = "mt-12", children }: { title: string; className?: string; children: ReactNode }) => (
  <section className={className}>
    <h2 className="border-b border-edge pb-2.5 text-sm font-medium">{title}</h2>
    {children}
  </section>
);
