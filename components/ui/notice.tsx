import type { ReactNode } from "react";

interface NoticeProps {
  /** A status or a short word, above the title. */
  code: string;
  title: string;
  children: ReactNode;
}

/** A page with a single message. */
export function Notice({ code, title, children }: NoticeProps) {
  return (
    <section className="max-w-reading py-20 md:py-28">
      <p className="font-mono text-sm text-copper-ink">{code}</p>
      <h1 className="mt-2 text-xl font-medium tracking-[-0.025em]">{title}</h1>
      <div className="mt-3 text-muted">{children}</div>
    </section>
  );
}
