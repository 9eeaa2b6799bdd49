"use client";

import { type ComponentType, useState } from "react";
import type { TryItForm } from "./try-it-form";

const button =
  "inline-flex h-11 items-center rounded border border-edge px-4 text-sm font-medium transition hover:bg-panel disabled:text-faint sm:h-9";

/** A button; the form behind it is loaded with the first click. */
export function TryItSlot({ form }: { form: TryItForm }) {
  const [Form, setForm] = useState<ComponentType<{ form: TryItForm }> | null>(null);
  const [state, setState] = useState<"ready" | "loading" | "failed">("ready");
  if (Form) return <Form form={form} />;
  const load = async () => {
    setState("loading");
    try {
      const { TryIt } = await import("./try-it");
      setForm(() => TryIt);
    } catch {
      setState("failed"); // offline, or a version that is no longer served: the button says so
    }
  };
  return (
    <button type="button" disabled={state === "loading"} onClick={() => void load()} className={button}>
      {state === "loading" ? "Loading…" : state === "failed" ? "Loading failed. Try again" : "Try it"}
    </button>
  );
}
