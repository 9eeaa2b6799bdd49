"use client";

import { Fragment, type ReactNode, useEffect, useState } from "react";
import { CopyButton } from "../../../ui/copy-button";
import type { HighlightedNode } from "./highlight";

interface CodeBlockOfAnswerProps {
  /** As the answer names it; empty: none. */
  language: string;
  text: string;
  /** It is still being written. */
  isOpen: boolean;
}

/** Code is laid out in pieces of so many characters: while long code grows, only its last piece changes. */
const PIECE = 16_000;

/** Code of an answer, with its language and a copy button; in colours once it is complete. */
export function CodeBlockOfAnswer({ language, text, isOpen }: CodeBlockOfAnswerProps) {
  const nodes = useHighlighted(language, text, !isOpen);
  const title = language || "Code";
  return (
    <figure className="overflow-hidden rounded border border-line bg-panel">
      <figcaption className="flex items-center justify-between gap-3 border-b border-line py-1 pr-2 pl-3 text-xs text-muted">
        <span className="truncate">{title}</span>
        <CopyButton text={text} label="Copy the code" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <section aria-label={`${title} of the answer`} tabIndex={0} className="max-h-[70vh] overflow-auto -outline-offset-2">
        <pre className="w-max min-w-full p-3 font-mono text-xs leading-5">
          <code>{nodes ? drawNodes(nodes) : piecesOf(text)}</code>
        </pre>
      </section>
    </figure>
  );
}

const piecesOf = (text: string): ReactNode =>
  Array.from({ length: Math.ceil(text.length / PIECE) }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces are only added at the end
    <Fragment key={index}>{text.slice(index * PIECE, (index + 1) * PIECE)}</Fragment>
  ));

/** The highlighter is loaded with the first code that needs it. */
function useHighlighted(language: string, text: string, isWanted: boolean): readonly HighlightedNode[] | null {
  const [found, setFound] = useState<{ text: string; nodes: readonly HighlightedNode[] | null } | null>(null);
  useEffect(() => {
    if (!isWanted || language === "") return;
    let isGone = false;
    void import("./highlight")
      .then(({ highlight }) => isGone || setFound({ text, nodes: highlight(language, text) }))
      .catch(() => undefined); // the code is readable without colours
    return () => {
      isGone = true;
    };
  }, [language, text, isWanted]);
  return found?.text === text ? found.nodes : null;
}

/** By the first part of a class of highlight.js. */
const looks: Readonly<Record<string, string>> = {
  "hljs-keyword": "text-copper-ink",
  "hljs-literal": "text-copper-ink",
  "hljs-built_in": "text-copper-ink",
  "hljs-type": "text-copper-ink",
  "hljs-string": "text-green",
  "hljs-regexp": "text-green",
  "hljs-number": "text-amber-ink",
  "hljs-attr": "text-amber-ink",
  "hljs-attribute": "text-amber-ink",
  "hljs-comment": "text-muted italic",
  "hljs-title": "font-medium",
  "hljs-name": "font-medium",
  "hljs-deletion": "text-red",
  "hljs-addition": "text-green",
};

const drawNodes = (nodes: readonly HighlightedNode[]): ReactNode =>
  nodes.map((node, index) => {
    if (typeof node === "string") return node;
    const look = node.names.map((name) => looks[name]).find((found) => found !== undefined);
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: nodes of one text have no other identity
      <span key={index} className={look}>
        {drawNodes(node.children)}
      </span>
    );
  });
