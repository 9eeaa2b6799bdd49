import { ActionLink } from "../ui/action-link";
import { Button } from "../ui/button";
import { Notice } from "../ui/notice";

interface ErrorNoticeProps {
  /** The number under which the server's log says what went wrong. */
  digest: string | undefined;
  onRetry: () => void;
  /** Where to go instead. */
  home: { href: string; text: string };
}

/** Shown in place of a page that failed. */
export function ErrorNotice({ digest, onRetry, home }: ErrorNoticeProps) {
  return (
    <Notice code="500" title="This page could not be shown">
      <p>The page failed, not the books: balances and requests are untouched. Try again; it may have been a moment.</p>
      {digest ? (
        <p className="mt-2">
          If it stays, tell the operator this number: <code className="font-mono text-sm text-ink">{digest}</code>
        </p>
      ) : null}
      <div className="mt-6 flex flex-wrap gap-3">
        <Button look="primary" onClick={onRetry}>
          Try again
        </Button>
        <ActionLink href={home.href}>{home.text}</ActionLink>
      </div>
    </Notice>
  );
}
