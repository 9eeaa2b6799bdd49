import Link from "next/link";
import type { ReactNode } from "react";

/** The style of a link within a chapter. */
export const chapterLink = "text-copper-ink underline decoration-copper/40 underline-offset-4 hover:decoration-copper";

export interface SectionProps {
  id: string;
  title: string;
  children: ReactNode;
}

/** A chapter of the docs, with a heading to link to. */
export function Section({ id, title, children }: SectionProps) {
  return (
    <section aria-labelledby={id} className="mt-14 space-y-4 first-of-type:mt-10">
      <h2 id={id} className="group scroll-mt-6 text-lg font-medium tracking-tight">
        <a href={`#${id}`} className="underline-offset-4 hover:underline">
          {title}
        </a>
      </h2>
      {children}
    </section>
  );
}

/** A link to another page. */
export const DocLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Link href={href} className={chapterLink}>
    {children}
  </Link>
);

/** A sequence of steps: when, then what. */
export const Steps = ({ steps, className = "" }: { steps: Readonly<Record<string, ReactNode>>; className?: string }) => (
  <dl className={`border-t border-line ${className}`}>
    {Object.entries(steps).map(([when, what]) => (
      <div key={when} className="gap-x-6 border-b border-line py-3 sm:grid sm:grid-cols-[112px_1fr]">
        <dt className="text-sm leading-[26px] text-muted">{when}</dt>
        <dd>{what}</dd>
      </div>
    ))}
  </dl>
);
