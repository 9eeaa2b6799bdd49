"use client";

// An answer's Markdown, drawn while it is written: finished blocks are drawn once.

import type { Token, Tokens } from "marked";
import { memo, type ReactNode, useRef } from "react";
import { type Block, BlockReader } from "./blocks";
import { CodeBlockOfAnswer } from "./code-block";
import { drawInline, readTokens } from "./inline";

/** Deeper blocks are shown as text. */
const MAX_DEPTH = 8;

export function AnswerText({ text }: { text: string }) {
  const reader = useRef<BlockReader>(undefined);
  reader.current ??= new BlockReader();
  const blocks = reader.current.read(text);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 text-sm leading-6 wrap-anywhere">
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only added at the end
        <BlockOfAnswer key={index} {...block} />
      ))}
    </div>
  );
}

const offScreen = "[contain-intrinsic-size:auto_400px] [content-visibility:auto]";
/** The browser lays out only the visible part of a text this long. */
const LONG_BLOCK = 2_000;

/** Drawn again only when its text has changed. */
const BlockOfAnswer = memo(function BlockOfAnswer(block: Block) {
  if (block.kind === "code") return <CodeBlockOfAnswer language={block.language} text={block.text} isOpen={block.isOpen} />;
  const tokens = readTokens(block.text);
  return (
    <div className={`grid grid-cols-[minmax(0,1fr)] gap-3 ${block.text.length > LONG_BLOCK ? offScreen : ""}`}>
      {tokens ? drawBlocks(tokens, 0) : <p className="whitespace-pre-wrap">{block.text}</p>}
    </div>
  );
});

const drawBlocks = (tokens: readonly Token[], depth: number): ReactNode =>
  tokens.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: tokens of one text have no other identity
    <BlockToken key={index} token={token} depth={depth} />
  ));

/** The page has headings of its own levels: those of an answer are set in its text. */
const headingLooks = ["text-lg font-medium", "text-base font-medium", "font-medium"] as const;

function BlockToken({ token: given, depth }: { token: Token; depth: number }): ReactNode {
  if (depth > MAX_DEPTH) return <p className="whitespace-pre-wrap">{given.raw}</p>;
  const token = given as Tokens.Generic;
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      return null;
    case "heading":
      return <p className={headingLooks[Math.min(Number(token.depth), 3) - 1] ?? "font-medium"}>{drawInline(token.tokens, 0)}</p>;
    case "paragraph":
      return <p>{drawInline(token.tokens, 0)}</p>;
    case "text":
      return <span>{drawInline(token.tokens ?? [given], 0)}</span>;
    case "blockquote":
      return (
        <blockquote className="grid gap-3 border-l-2 border-edge pl-3 text-muted">{drawBlocks(token.tokens ?? [], depth + 1)}</blockquote>
      );
    case "code":
      return <CodeBlockOfAnswer language={String(token.lang ?? "")} text={String(token.text)} isOpen={false} />;
    case "hr":
      return <hr className="border-line" />;
    case "list":
      return <List list={given as Tokens.List} depth={depth} />;
    case "table":
      return <Table table={given as Tokens.Table} />;
    default:
      return <p className="whitespace-pre-wrap">{token.raw}</p>;
  }
}

function List({ list, depth }: { list: Tokens.List; depth: number }) {
  const items = list.items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items of one text have no other identity
    <li key={index} className={item.task ? "list-none" : ""}>
      {item.task ? <input type="checkbox" aria-label="Done" checked={item.checked ?? false} disabled className="mr-2 -ml-5" /> : null}
      {drawBlocks(item.tokens, depth + 1)}
    </li>
  ));
  const look = "grid gap-1 pl-6";
  if (!list.ordered) return <ul className={`list-disc ${look}`}>{items}</ul>;
  return (
    <ol className={`list-decimal ${look}`} start={typeof list.start === "number" ? list.start : 1}>
      {items}
    </ol>
  );
}

function Table({ table }: { table: Tokens.Table }) {
  const look = (index: number): string =>
    table.align[index] === "right" ? "text-right" : table.align[index] === "center" ? "text-center" : "text-left";
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section aria-label="Table" tabIndex={0} className="overflow-x-auto -outline-offset-2">
      <table className="w-max min-w-full text-sm">
        <thead>
          <tr className="border-b border-edge">
            {table.header.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a table
              <th key={index} scope="col" className={`py-1.5 pr-4 font-medium ${look(index)}`}>
                {drawInline(cell.tokens, 0)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a table
            <tr key={line} className="border-b border-line">
              {row.map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a table
                <td key={index} className={`py-1.5 pr-4 align-top ${look(index)}`}>
                  {drawInline(cell.tokens, 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
