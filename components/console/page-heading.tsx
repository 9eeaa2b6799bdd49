import Link from "next/link";
import type { ReactNode } from "react";

interface PageHeadingProps {
  title: string;
  /** One sentence: the purpose of this page. */
  children?: ReactNode;
  /** The page's main button, at the right. */
  action?: ReactNode;
}

export const PageHeading = ({ title, children, action }: PageHeadingProps) => (
  <div className="mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
    <div className="min-w-0">
      <h1 className="text-lg font-medium tracking-tight">{title}</h1>
      {children ? <p className="mt-1 max-w-[64ch] text-sm text-muted">{children}</p> : null}
    </div>
    {action}
  </div>
);

/** A link at the end of a heading's sentence. */
export const HeadingLink = ({ href, children }: { href: string; children: string }) => (
  <Link href={href} className="whitespace-nowrap underline underline-offset-4 transition hover:text-ink">
    {children}
  </Link>
);
