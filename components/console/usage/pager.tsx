import Link from "next/link";
import { countText } from "@/components/ui/text/number-text";

interface PagerProps {
  shown: number;
  of: number;
  /** URLs of the neighbouring pages; null when there is none. */
  newest: string | null;
  newer: string | null;
  older: string | null;
}

/** Links between the pages of one listing. */
export const Pager = ({ shown, of, newest, newer, older }: PagerProps) => (
  <nav aria-label="Pages" className="mt-4 flex flex-wrap items-center justify-between gap-3 text-sm">
    <p className="text-xs text-muted">
      {countText(shown)} of {countText(of)} requests
    </p>
    <div className="flex gap-2">
      {newest ? <PageLink href={newest}>Newest</PageLink> : null}
      {newer || older ? <PageLink href={newer}>Newer</PageLink> : null}
      {newer || older ? <PageLink href={older}>Older</PageLink> : null}
    </div>
  </nav>
);

const look = "inline-flex h-8 items-center rounded border px-3 text-xs font-medium";

const PageLink = ({ href, children }: { href: string | null; children: string }) =>
  href === null ? (
    <span aria-disabled="true" className={`${look} border-line text-faint`}>
      {children}
    </span>
  ) : (
    <Link href={href} className={`${look} border-edge transition hover:bg-panel`}>
      {children}
    </Link>
  );
