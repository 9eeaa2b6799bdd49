import Link from "next/link";
import { Amount, placesOf } from "@/components/ui/text/amount";
import { dayText, momentText } from "@/components/ui/text/time-text";
import type { OwnKey } from "@/lib/console/views/keys";
import { FoldSummary } from "../../ui/fold-summary";
import { KeyName } from "./key-cells";

interface RevokedKeysProps {
  keys: readonly OwnKey[];
  /** The next page's URL, if there is one. */
  olderHref: string | null;
  /** The first page's URL, when this is another page. */
  newestHref: string | null;
}

/** Revoked keys, collapsed: their charges stay in the books. */
export function RevokedKeys({ keys, olderHref, newestHref }: RevokedKeysProps) {
  const places = placesOf(keys.map(({ spent }) => spent));
  return (
    <details open={newestHref !== null} className="mt-8 border-t border-line">
      <FoldSummary className="py-3 text-sm text-muted">Revoked keys</FoldSummary>
      <ul className="text-sm">
        {keys.map((item) => (
          <li key={item.keyId} className="flex items-baseline gap-4 border-t border-line py-2.5 text-muted">
            <span className="min-w-0 grow">
              <span className="block truncate" title={item.name}>
                {item.name}
              </span>
              <span className="text-xs">
                <KeyName item={item} />
                {item.revokedAt ? (
                  <time dateTime={item.revokedAt.toISOString()} title={momentText(item.revokedAt)}>
                    {" · "}revoked {dayText(item.revokedAt)}
                  </time>
                ) : null}
              </span>
            </span>
            {item.spent > 0n ? (
              <span className="grid justify-items-end font-mono">
                <Amount nano={item.spent} places={places} />
                <span className="font-sans text-xs">last 30 days</span>
              </span>
            ) : null}
          </li>
        ))}
      </ul>
      {olderHref || newestHref ? (
        <p className="flex gap-4 border-t border-line py-3 text-sm">
          {olderHref ? <PageLink href={olderHref}>Show older</PageLink> : null}
          {newestHref ? <PageLink href={newestHref}>Back to the newest</PageLink> : null}
        </p>
      ) : null}
    </details>
  );
}

const PageLink = ({ href, children }: { href: string; children: string }) => (
  <Link href={href} scroll={false} className="underline decoration-edge underline-offset-4 transition hover:decoration-ink">
    {children}
  </Link>
);
