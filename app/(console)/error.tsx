"use client";

import { ErrorNotice, type ErrorPageProps } from "@/components/site/error-notice";

export default function ErrorPage(props: ErrorPageProps) {
  return <ErrorNotice {...props} home={{ href: "/overview", text: "Go to the overview" }} />;
}
