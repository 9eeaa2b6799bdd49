import { ActionLink } from "../ui/action-link";
import { Button } from "../ui/button";
import { Notice } from "../ui/notice";

/** What Next hands to the page of an error. */
export interface ErrorPageProps {
  /** `digest`: the number under which the server's log says what went wrong. */
  error: Error & { digest?: string };
  /** Asks the server for the page again. */
  retry: () => void;
}

interface ErrorNoticeProps extends ErrorPageProps {
  /** Where to go instead. */
  home: { href: string; text: string };
}

/** Shown in place of a page that failed. */
export function ErrorNotice({ error: { digest }, retry, home }: ErrorNoticeProps) {
  return (
    <Notice code="500" title="This page could not be shown">
      <p>The page failed, not the books: balances and requests are untouched. Try again; it may have been a moment.</p>
      {digest ? (
        <p className="mt-2">
          If it stays, tell the operator this number: <code className="font-mono text-sm text-ink">{digest}</code>
        </p>
      ) : null}
      <div className="mt-6 flex flex-wrap gap-3">
        <Button look="primary" onClick={retry}>
          Try again
        </Button>
        <ActionLink href={home.href}>{home.text}</ActionLink>
      </div>
    </Notice>
  );
}
