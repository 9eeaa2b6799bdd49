"use client";

import { Notice } from "@/components/ui/notice";
import "./globals.css";

/**
 * Replaces the whole document when even the layout failed. It is rendered at build time, so it knows no setting, and its
 * only action is a link that works without scripts.
 */
export default function GlobalError({ error }: { error: Error & { digest?: string } }) {
  return (
    <html lang="en">
      <head>
        <title>Something went wrong</title>
      </head>
      <body className="font-sans">
        <main className="mx-auto max-w-wide px-5">
          <Notice code="500" title="Something went wrong">
            <p>This page failed to load. Your balance and requests are not affected. Reload the page to try again.</p>
            {error.digest ? (
              <p className="mt-2">
                If it stays, tell the operator this number: <code className="font-mono text-sm text-ink">{error.digest}</code>
              </p>
            ) : null}
            <p className="mt-6">
              <a href="?" className="inline-flex h-10 items-center rounded bg-ink px-4 text-sm font-medium text-paper">
                Load it again
              </a>
            </p>
          </Notice>
        </main>
      </body>
    </html>
  );
}
