// Tokens of Markdown as React elements. A model's answer is untrusted: there is no way from it to HTML. Markup of its own is shown as the text
// that it is, an image is a link to it and loads nothing, and a link leads to the web or to a mail address.

import { Lexer, type Token, type Tokens } from "marked";
import { Fragment, type ReactNode } from "react";

/** Deeper nesting is shown as text: React and the browser would run out of stack. */
const MAX_DEPTH = 12;

/** Quotes and lists within each other, on one line: their reader takes quadratic time. */
const nested = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){16}/m;
/** Of one block: the reader looks for the end of each anew. */
const MAX_BACKTICKS = 300;

/** The reader compares each with those before it. */
const MAX_EMPHASIS_MARKS = 1_000;

const isCostly = (text: string): boolean =>
  nested.test(text) || text.split("`").length > MAX_BACKTICKS || text.split(/[*_]/).length > MAX_EMPHASIS_MARKS;

/** The tokens of one block; null when it cannot be read, or takes too long to read: it is shown as it is. */
export function readTokens(text: string): Token[] | null {
  if (isCostly(text)) return null;
  try {
    return Lexer.lex(text, { gfm: true, breaks: true });
  } catch {
    return null; // nested too deeply for its reader
  }
}

/** Schemes that a link may have. */
const safeSchemes = new Set(["http:", "https:", "mailto:"]);

/** The address of a link; null unless it is a whole address of the web or of mail. */
export function safeHref(href: string): string | null {
  if (!URL.canParse(href)) return null;
  const url = new URL(href);
  return safeSchemes.has(url.protocol) ? url.href : null;
}

const SafeLink = ({ href, children }: { href: string; children: ReactNode }) => {
  const safe = safeHref(href);
  if (safe === null) return <>{children}</>;
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer nofollow" className="underline underline-offset-2 hover:text-ink">
      {children}
    </a>
  );
};

/** Characters that Markdown writes as names, since `<` and `&` mean something there. */
const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

export const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,4}));/g, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return named[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : "\ufffd";
  });

export const drawInline = (tokens: readonly Token[] | undefined, depth: number): ReactNode =>
  (tokens ?? []).map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: tokens of one text have no other identity
    <Fragment key={index}>{drawToken(token, depth)}</Fragment>
  ));

function drawToken(given: Token, depth: number): ReactNode {
  if (depth > MAX_DEPTH) return given.raw;
  const token = given as Tokens.Generic;
  switch (token.type) {
    case "strong":
      return <strong className="font-semibold">{drawInline(token.tokens, depth + 1)}</strong>;
    case "em":
      return <em>{drawInline(token.tokens, depth + 1)}</em>;
    case "del":
      return <del>{drawInline(token.tokens, depth + 1)}</del>;
    case "codespan":
      return <code className="rounded-sm bg-panel px-1 py-px font-mono text-[0.9em]">{String(token.text)}</code>;
    case "br":
      return <br />;
    case "checkbox": // its item shows it
      return null;
    case "link":
      return <SafeLink href={String(token.href)}>{drawInline(token.tokens, depth + 1)}</SafeLink>;
    case "image":
      return (
        <SafeLink href={String(token.href)}>{`Image: ${decodeEntities(String(token.text)) || String(token.href).slice(0, 200)}`}</SafeLink>
      );
    case "text":
      return token.tokens ? drawInline(token.tokens, depth + 1) : decodeEntities(String(token.text));
    case "escape":
      return decodeEntities(String(token.text));
    default:
      // Markup of its own, and everything that is unknown.
      return token.raw;
  }
}
