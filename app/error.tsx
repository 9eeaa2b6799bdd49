"use client";

import { ErrorNotice } from "@/components/site/error-notice";

interface ErrorPageProps {
  error: Error & { digest?: string };
  /** Asks the server for the page again. */
  retry: () => void;
}

export default function ErrorPage({ error, retry }: ErrorPageProps) {
  return <ErrorNotice digest={error.digest} onRetry={retry} home={{ href: "/", text: "Go to the start" }} />;
}
