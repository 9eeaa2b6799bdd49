"use client";

import { TriangleAlertIcon } from "lucide-react";
import { useEffect, useRef } from "react";
import { Button } from "../../ui/button";
import { CodeBlock } from "../../ui/code-block";
import { CopyButton } from "../../ui/copy-button";
import type { CreatedKey } from "./key-actions";

interface NewKeyProps {
  created: CreatedKey;
  onStored: () => void;
}

/** A key just created, shown this once: it exists only in this page's memory. */
export function NewKey({ created: { key, curl }, onStored }: NewKeyProps) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    box.current?.focus();
    const confirmLeaving = (event: BeforeUnloadEvent) => event.preventDefault();
    // "Back" closes a dialog on phones; here it would leave the page and lose the key, so it leads to the same page.
    const stay = () => window.history.pushState(null, "", window.location.href);
    stay();
    window.addEventListener("beforeunload", confirmLeaving);
    window.addEventListener("popstate", stay);
    return () => {
      window.removeEventListener("beforeunload", confirmLeaving);
      window.removeEventListener("popstate", stay);
    };
  }, []);
  return (
    <div className="grid gap-4">
      <section
        ref={box}
        tabIndex={-1}
        aria-label="The new key"
        className="flex items-center justify-between gap-2 rounded border border-copper bg-copper-wash py-2 pr-2 pl-4 outline-none"
      >
        <code className="min-w-0 font-mono text-sm break-all select-all">{key}</code>
        <CopyButton text={key} label="Copy the key" />
      </section>
      <p className="flex gap-2.5 text-sm">
        <TriangleAlertIcon aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-copper-ink" />
        <span>
          You will not see this key again. Store it in a password manager or secret store, never in code or a browser. Anyone who has it can
          spend your balance.
        </span>
      </p>
      <CodeBlock title="Try it" copy={curl} />
      <Button look="primary" onClick={onStored} className="justify-self-end max-sm:w-full">
        I have stored it
      </Button>
    </div>
  );
}
