"use client";

import { ActionLink } from "@/components/ui/action-link";
import { Notice } from "@/components/ui/notice";

interface ErrorPageProps {
  error: Error & { digest?: string };
  reset: () => void;
}

/** Shown in place of a page that failed. What went wrong is in the server's log, under the number shown here. */
export default function ErrorPage({ error, reset }: ErrorPageProps) {
  return (
    <Notice code="500" title="This page could not be shown">
      <p>The page failed, not the books: balances and requests are untouched. Try again; it may have been a moment.</p>
      {error.digest ? (
        <p className="mt-2">
          If it stays, tell the operator this number: <code className="font-mono text-sm text-ink">{error.digest}</code>
        </p>
      ) : null}
      <div className="mt-6 flex flex-wrap gap-3">
        <button
          type="button"
          onClick={reset}
          className="inline-flex h-10 items-center rounded bg-ink px-4 text-sm font-medium text-paper transition hover:bg-muted"
        >
          Try again
        </button>
        <ActionLink href="/">Go to the start</ActionLink>
      </div>
    </Notice>
  );
}
