"use client";

import { useState } from "react";
import type { ModelPrice } from "@/lib/console/views/models";
import { findContextProblem } from "./context-fit";
import { useDraft } from "./kept/use-draft";
import { isSendable, readPromptForm } from "./prompt-form";
import { isRunning, type RunFields, type RunTerms, type SignedPayment } from "./run";
import type { PlaygroundEndpoints } from "./run-request";
import { useAvailable } from "./use-available";
import { useQuote } from "./use-quote";
import { type FindCost, type ReadAvailable, useRuns } from "./use-runs";

/** What the URL says of the model: nothing, one on offer, or one that is not. */
export type ModelLink = { kind: "none" } | { kind: "chosen" } | { kind: "unknown"; model: string };

export interface PlaygroundSettings {
  accountId: string;
  models: readonly ModelPrice[];
  initialModel: ModelPrice;
  link: ModelLink;
  /** Nano-USD, when the page was rendered. */
  available: bigint;
  endpoints: PlaygroundEndpoints;
  findCost: FindCost;
  readAvailable: ReadAvailable;
}

/** The form, its price, its runs, and the balance. */
export function usePlayground({ accountId, models, initialModel, link, endpoints, findCost, readAvailable, ...page }: PlaygroundSettings) {
  const { form, change } = useDraft({
    accountId,
    initial: { model: initialModel.id, system: "", prompt: "", maxTokens: "1024", temperature: "" },
    mayUse: (model) => link.kind === "none" && models.some(({ id }) => id === model),
  });
  const { available, availableNow, ...balance } = useAvailable(page.available);
  const [ended, setEnded] = useState(0);
  const onEnded = (left: bigint | null) => {
    balance.recordEnd(left);
    setEnded((count) => count + 1);
  };
  const { runs, stop, ...running } = useRuns({ accountId, endpoints, findCost, readAvailable, onEnded });

  const model = models.find(({ id }) => id === form.model) ?? initialModel;
  const { fields, problems } = readPromptForm(form, model.maxOutputTokens);
  const sendable = isSendable(fields, problems);
  const { quote, isCurrent } = useQuote({
    endpoints,
    fields: sendable ? fields : null,
    version: ended,
    onQuote: (priced) => balance.recordPrice(priced.available),
  });
  const start = (sent: RunFields, terms: RunTerms) => {
    balance.recordStart();
    void running.start(sent, terms);
  };
  const startNew = (payment?: SignedPayment) => {
    const { inputPrice, outputPrice } = model;
    const ceiling = isCurrent && quote ? quote.ceiling : null;
    start(payment ? { ...fields, payment } : fields, { ceiling, price: { inputPrice, outputPrice } });
  };
  return {
    ...{ form, change, model, fields, problems, sendable, quote, isCurrent, available, availableNow, runs, start, startNew, stop },
    isBusy: runs[0] !== undefined && isRunning(runs[0]),
    contextProblem: findContextProblem(fields, model, isCurrent ? quote : null, models),
  };
}
