"use client";

import { useEffect, useState } from "react";
import { CheckIcon, CopyIcon } from "./icons";

const SHOWN_MS = 1_600;

interface CopyButtonProps {
  text: string;
  /** The button's name, for screen readers: "Copy the curl line". */
  label: string;
  /** Shows only the icon. */
  quiet?: boolean;
}

/** Copies `text` and confirms it, visually and to screen readers. */
export function CopyButton({ text, label, quiet = false }: CopyButtonProps) {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");

  useEffect(() => {
    if (state === "ready") return;
    const timer = setTimeout(() => setState("ready"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);

  const copy = async () => {
    setState((await writeClipboard(text)) ? "copied" : "failed");
  };
  const word = state === "copied" ? "Copied" : state === "failed" ? "Select it and copy" : "Copy";

  return (
    <button
      type="button"
      onClick={() => void copy()}
      aria-label={label}
      title={quiet ? label : undefined}
      className={`inline-flex items-center gap-1.5 rounded-sm text-xs text-muted transition hover:text-ink ${quiet ? "p-1.5" : "px-2 py-1"}`}
    >
      {state === "copied" ? <CheckIcon className="text-green" /> : <CopyIcon />}
      {quiet ? null : <span aria-hidden="true">{word}</span>}
      <span className="sr-only" aria-live="polite">
        {state === "ready" ? "" : word}
      </span>
    </button>
  );
}

/** False where the clipboard is unavailable: over plain http from another machine, or when the person refused. */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // the caller reports it; there is nothing else to do
  }
}
