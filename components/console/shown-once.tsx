"use client";

import { TriangleAlertIcon } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { Button } from "../ui/button";
import { CopyButton } from "../ui/copy-button";

interface ShownOnceProps {
  /** Names the box: "The new key". */
  label: string;
  /** For the copy button: "Copy the key". */
  copyLabel: string;
  secret: string;
  /** Where to store it, and who else must not have it. */
  warning: string;
  children?: ReactNode;
  onStored: () => void;
}

/** A secret just created, shown this once: it exists only in this page's memory. */
export function ShownOnce({ label, copyLabel, secret, warning, children, onStored }: ShownOnceProps) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    box.current?.focus();
    const confirmLeaving = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", confirmLeaving);
    return () => window.removeEventListener("beforeunload", confirmLeaving);
  }, []);
  return (
    <div className="grid gap-4">
      <section
        ref={box}
        tabIndex={-1}
        aria-label={label}
        className="flex items-center justify-between gap-2 rounded border border-copper bg-copper-wash py-2 pr-2 pl-4 outline-none"
      >
        <code className="min-w-0 font-mono text-sm break-all select-all">{secret}</code>
        <CopyButton text={secret} label={copyLabel} />
      </section>
      <p className="flex gap-2.5 text-sm">
        <TriangleAlertIcon aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-copper-ink" />
        <span>{warning}</span>
      </p>
      {children}
      <Button look="primary" onClick={onStored} className="justify-self-end max-sm:w-full">
        I have stored it
      </Button>
    </div>
  );
}
