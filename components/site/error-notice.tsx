import { ActionLink } from "../ui/action-link";
import { Notice } from "../ui/notice";

/** The props that Next passes to an error page. */
export interface ErrorPageProps {
  /** `digest`: the id of the error in the server's log. */
  error: Error & { digest?: string };
  /** Requests the page from the server again. */
  retry: () => void;
}

interface ErrorNoticeProps extends ErrorPageProps {
  /** Where to go instead. */
  home: { href: string; text: string };
}

/** Replaces a page that failed. */
export function ErrorNotice({ error: { digest }, retry, home }: ErrorNoticeProps) {
  return (
    <Notice code="500" title="Something went wrong">
      <p>This page failed to load. Your balance and requests are not affected.</p>
      {digest ? (
        <p className="mt-2">
          If this keeps happening, send us this error ID: <code className="font-mono text-sm text-ink">{digest}</code>
        </p>
      ) : null}
      <div className="mt-6 flex flex-wrap gap-3">
        {/* Not Button: what it needs to merge its class names would be a tenth of every public page. */}
        <button
          type="button"
          onClick={retry}
          className="inline-flex h-10 items-center rounded bg-ink px-4 text-sm font-medium text-paper transition hover:bg-muted"
        >
          Try again
        </button>
        <ActionLink href={home.href}>{home.text}</ActionLink>
      </div>
    </Notice>
  );
}
