"use client";

// Drafts: text typed in a dialog's form and not sent is there when the dialog is opened again. It is kept in this page's memory only, for
// as long as the person is in the console. Secrets are never typed in these forms, and values shown only once are no part of a draft.

import { createContext, type Dispatch, type ReactNode, useContext, useState } from "react";

interface Stored {
  /** The form's first values, as JSON: a draft of a thing that has changed meanwhile is not offered. */
  from: string;
  value: unknown;
}

const DraftsContext = createContext<Map<string, Stored> | null>(null);

export function DraftsProvider({ children }: { children: ReactNode }) {
  const [drafts] = useState(() => new Map<string, Stored>());
  return <DraftsContext value={drafts}>{children}</DraftsContext>;
}

export interface Draft<Value> {
  value: Value;
  set: Dispatch<Value>;
  /** It was sent, or is not wanted any more. */
  discard: () => void;
}

/** The state of a form, which outlives its dialog. `name` tells it from other forms: "rename key_…". */
export function useDraft<Value>(name: string, initial: () => Value): Draft<Value> {
  const drafts = useContext(DraftsContext);
  const [first] = useState(initial);
  const from = JSON.stringify(first);
  const [value, setValue] = useState<Value>(() => {
    const kept = drafts?.get(name);
    return kept?.from === from ? (kept.value as Value) : first;
  });
  return {
    value,
    set: (next) => {
      drafts?.set(name, { from, value: next });
      setValue(next);
    },
    discard: () => void drafts?.delete(name),
  };
}
