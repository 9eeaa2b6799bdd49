"use client";

import { ErrorNotice } from "@/components/site/error-notice";

interface ErrorPageProps {
  error: Error & { digest?: string };
  reset: () => void;
}

export default function ErrorPage({ error, reset }: ErrorPageProps) {
  return <ErrorNotice digest={error.digest} onRetry={reset} home={{ href: "/", text: "Go to the start" }} />;
}
