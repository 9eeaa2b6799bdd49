import type { ComponentType } from "react";
import type { ChapterProps } from "./chapter-props";
import { AnswerChapter, KeyChapter, PromptChapter, RequestChapter, StreamChapter } from "./first-call";
import { ErrorsChapter, LimitsChapter, MoneyChapter, RetryChapter } from "./in-earnest";

/** The docs in the order they are read in. */
export const chapters: readonly { id: string; title: string; Chapter: ComponentType<ChapterProps> }[] = [
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
