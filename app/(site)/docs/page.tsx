import type { Metadata } from "next";
import type { ComponentType } from "react";
import { readSite } from "@/app/site";
import { DocsArticle } from "@/components/docs/docs-frame";
import { defaultModelPrice, listModelPrices } from "@/lib/console/models";
import type { ChapterProps } from "./chapter-props";
import { AnswerChapter, KeyChapter, PromptChapter, RequestChapter, StreamChapter } from "./first-call";
import { ErrorsChapter, FailedChapter, LimitsChapter, MoneyChapter, RetryChapter } from "./in-earnest";

export const metadata: Metadata = {
  title: "Quick start",
  description: "Send your first request with curl, TypeScript or Python, read the response, and handle errors.",
};

/** The chapters of the docs, in reading order. */
const chapters: readonly { id: string; title: string; Chapter: ComponentType<ChapterProps> }[] = [
  { id: "key", title: "Your key", Chapter: KeyChapter },
  { id: "prompt", title: "Send a prompt", Chapter: PromptChapter },
  { id: "answer", title: "Read the response", Chapter: AnswerChapter },
  { id: "request", title: "Request fields", Chapter: RequestChapter },
  { id: "stream", title: "Streaming", Chapter: StreamChapter },
  { id: "retry", title: "Retries", Chapter: RetryChapter },
  { id: "balance", title: "Billing", Chapter: MoneyChapter },
  { id: "limits", title: "Limits", Chapter: LimitsChapter },
  { id: "errors", title: "Errors", Chapter: ErrorsChapter },
  { id: "failed-requests", title: "Failed requests", Chapter: FailedChapter },
];

export default function DocsPage() {
  const site = readSite();
  const model = defaultModelPrice(listModelPrices());
  return (
    <DocsArticle current="/docs" title="Quick start" intro="Create a key, send a prompt, see what it cost." sections={chapters}>
      {chapters.map(({ id, Chapter }) => (
        <Chapter key={id} site={site} model={model} />
      ))}
    </DocsArticle>
  );
}
