"use client";

import { useState } from "react";
import { CheckIcon, CopyIcon } from "../ui/icons";

const words = { ready: "Copy for your agent", copied: "Copied", failed: "Open it as Markdown instead" };

/** The page as Markdown: to copy, and to open. */
export function AgentLinks({ path }: { path: string }) {
  const [state, setState] = useState<keyof typeof words>("ready");
  const href = `${path}.md`;
  const copy = async () => {
    // Safari copies a fetched text only as a promise that the click itself hands over.
    const text = fetch(href).then(async (answer) => {
      if (!answer.ok) throw new Error(`${answer.status}`);
      return new Blob([await answer.text()], { type: "text/plain" });
    });
    const isCopied = await navigator.clipboard?.write([new ClipboardItem({ "text/plain": text })]).then(
      () => true,
      () => false,
    );
    setState(isCopied ? "copied" : "failed");
  };
  return (
    <p className="mb-2 flex flex-wrap items-center justify-end gap-x-4 pt-6 text-xs text-muted lg:pt-8">
      <button
        type="button"
        onClick={() => void copy()}
        className="inline-flex items-center gap-1.5 py-3 transition hover:text-ink sm:py-1.5"
      >
        {state === "copied" ? <CheckIcon className="text-green" /> : <CopyIcon />}
        <span aria-live="polite">{words[state]}</span>
      </button>
      <a href={href} className="py-3 underline-offset-4 transition hover:text-ink hover:underline sm:py-1.5">
        View as Markdown
      </a>
    </p>
  );
}
