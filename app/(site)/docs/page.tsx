import type { Metadata } from "next";
import type { ComponentType } from "react";
import { getExampleModel } from "@/app/examples";
import { readSite } from "@/app/site";
import { DocsArticle } from "@/components/docs/docs-frame";
import { listModelPrices } from "@/lib/console/models";
import type { ChapterProps } from "./chapter-props";
import { AnswerChapter, KeyChapter, PromptChapter, RequestChapter, StreamChapter } from "./first-call";
import { ErrorsChapter, LimitsChapter, MoneyChapter, RetryChapter } from "./in-earnest";

export const metadata: Metadata = {
  title: "Quick start",
  description: "From a key to an answer in a minute: curl, TypeScript and Python, what the answer means, and every error.",
};

/** The chapters of the docs, in reading order. */
const chapters: readonly { id: string; title: string; Chapter: ComponentType<ChapterProps> }[] = [
  { id: "key", title: "Your key", Chapter: KeyChapter },
  { id: "prompt", title: "Send a prompt", Chapter: PromptChapter },
  { id: "answer", title: "Read the answer", Chapter: AnswerChapter },
  { id: "request", title: "What you can ask for", Chapter: RequestChapter },
  { id: "stream", title: "Stream it", Chapter: StreamChapter },
  { id: "retry", title: "Retry without paying twice", Chapter: RetryChapter },
  { id: "balance", title: "Money", Chapter: MoneyChapter },
  { id: "limits", title: "Limits", Chapter: LimitsChapter },
  { id: "errors", title: "Errors", Chapter: ErrorsChapter },
];

export default function DocsPage() {
  const site = readSite();
  const model = getExampleModel(listModelPrices());
  return (
    <DocsArticle
      current="/docs"
      title="Quick start"
      intro="One endpoint, one key, one JSON body. The answer says what it cost."
      sections={chapters}
    >
      {chapters.map(({ id, Chapter }) => (
        <Chapter key={id} site={site} model={model} />
      ))}
    </DocsArticle>
  );
}
