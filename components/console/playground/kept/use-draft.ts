"use client";

import { useEffect, useState } from "react";
import type { PromptForm } from "../prompt-form";
import { keep } from "./browser-store";
import { readDraft } from "./kept-runs";

interface UseDraftOptions {
  accountId: string;
  initial: PromptForm;
  /** Of the kept draft's model: whether it may be chosen. */
  mayUse: (model: string) => boolean;
}

/** The form, as it was left in this browser, and a function that changes and keeps it. */
export function useDraft({ accountId, initial, mayUse }: UseDraftOptions) {
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
