"use client";

import { useEffect, useRef, useState } from "react";
import type { ModelPrice } from "@/lib/console/views/models";
import { findContextProblem } from "./context-fit";
import { keep } from "./kept/browser-store";
import { readDraft } from "./kept/kept-runs";
import { isSendable, type PromptForm, readPromptForm } from "./prompt-form";
import { isRunning, type RunFields, type RunTerms, type SignedPayment } from "./run";
import type { PlaygroundEndpoints } from "./run-request";
import { useQuote } from "./use-quote";
import type { FindCost } from "./use-run-costs";
import { type ReadAvailable, useRuns } from "./use-runs";

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

interface UseDraftOptions {
  accountId: string;
  initial: PromptForm;
  /** Of the kept draft's model: whether it may be chosen. */
  mayUse: (model: string) => boolean;
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
    const { ceiling = null, whenLeft = null } = (isCurrent && quote) || {};
    start(payment ? { ...fields, payment } : fields, { ceiling, whenLeft, price: { inputPrice, outputPrice } });
  };
  return {
    form,
    change,
    model,
    fields,
    problems,
    sendable,
    quote,
    isCurrent,
    available,
    availableNow,
    runs,
    start,
    startNew,
    stop,
    isBusy: runs[0] !== undefined && isRunning(runs[0]),
    contextProblem: findContextProblem(fields, model, isCurrent ? quote : null, models),
  };
}

/** The form, as it was left in this browser, and a function that changes and keeps it. */
function useDraft({ accountId, initial, mayUse }: UseDraftOptions) {
  const [form, setForm] = useState(initial);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as the page opens
  useEffect(() => {
    const draft = readDraft(accountId);
    if (draft) setForm({ ...draft, model: mayUse(draft.model) ? draft.model : initial.model });
  }, [accountId]);

  const change = (part: Partial<PromptForm>): void => {
    const next = { ...form, ...part };
    setForm(next);
    keep(accountId, "draft", next);
  };
  return { form, change };
}

/** What the account can spend: the last reading, of the page, of a price or of the end of a run. Nano-USD. */
function useAvailable(rendered: bigint) {
  const [reading, setReading] = useState({ available: rendered, isFresh: true });
  const isRunning = useRef(false);
  useEffect(() => setReading((known) => ({ ...known, available: rendered })), [rendered]);
  return {
    available: reading.available,
    /** Null from the start of a run until it was read after its end. */
    availableNow: reading.isFresh ? reading.available : null,
    recordPrice: (available: bigint) => setReading({ available, isFresh: !isRunning.current }),
    recordStart: () => {
      isRunning.current = true;
      setReading((known) => ({ ...known, isFresh: false }));
    },
    /** Null when it could not be read; the next price has it. */
    recordEnd: (available: bigint | null) => {
      isRunning.current = false;
      if (available !== null) setReading({ available, isFresh: true });
    },
  };
}
