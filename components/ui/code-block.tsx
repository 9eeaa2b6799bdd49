import type { ReactNode } from "react";
import { CopyButton } from "./copy-button";

interface CodeBlockProps {
  /** Shown above the code; names the region: "curl", "Answer". */
  title: string;
  /** The text that the button copies. */
  copy: string;
  /** The code as shown; `copy` by default. */
  children?: ReactNode;
  /** Beside the title, at the right. */
  note?: ReactNode;
  /** Without its own frame, as a part of a larger panel. */
  bare?: boolean;
  /** Long lines wrap, and of many lines some are shown at a time. */
  wraps?: boolean;
}

const looks = {
  scrolled: { section: "scroll-edges overflow-x-auto", pre: "w-max min-w-full" },
  wrapped: { section: "max-h-90 overflow-y-auto", pre: "whitespace-pre-wrap [overflow-wrap:anywhere]" },
};

/** Code with its title and a copy button. Long lines scroll inside the block, never the page; a shadow marks the edge that hides more. */
export function CodeBlock({ title, copy, children, note, bare = false, wraps = false }: CodeBlockProps) {
  const look = wraps ? looks.wrapped : looks.scrolled;
  return (
    <figure className={`flex min-w-0 flex-col ${bare ? "" : "overflow-hidden rounded border border-line bg-panel"}`}>
      <figcaption className="flex items-center justify-between gap-3 border-b border-line py-1.5 pr-2 pl-4 text-xs text-muted">
        <span className="font-medium">{title}</span>
        <span className="flex items-center gap-2">
          {note}
          <CopyButton text={copy} label={`Copy: ${title}`} />
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <section aria-label={title} tabIndex={0} className={`grow -outline-offset-2 ${look.section}`}>
        <pre className={`p-4 font-mono text-sm leading-[22px] ${look.pre}`}>
          <code>{children ?? copy}</code>
        </pre>
      </section>
    </figure>
  );
}
