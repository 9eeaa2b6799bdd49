// A page's content as a tree of plain elements, read from the same React tree that the page shows: the Markdown of a page and the search
// index are made of it.

import { isValidElement, type ReactElement, type ReactNode } from "react";
import { AgentLinks } from "@/components/docs/agent-links";
import { OldAnchors } from "@/components/docs/old-anchors";
import { TryItSlot } from "@/components/docs/try-it/try-it-slot";
import { CopyButton } from "@/components/ui/copy-button";

export interface TextElement {
  tag: string;
  /** Those that matter to a reader of the text. */
  id?: string | undefined;
  href?: string | undefined;
  children: readonly TextNode[];
}

export type TextNode = string | TextElement;

interface Props {
  id?: unknown;
  href?: unknown;
  className?: unknown;
  children?: ReactNode;
}

/** Components that run in a browser and have nothing to read. */
const browserOnly: ReadonlySet<unknown> = new Set([AgentLinks, CopyButton, OldAnchors, TryItSlot]);

/** Elements that a page shows for the hand or the eye only. */
const controls = new Set(["button", "input", "label", "legend", "svg", "style", "script", "textarea", "select"]);

/** The content of the first `article`. @throws Error where a component needs a browser, or there is no article */
export function readArticle(page: ReactNode): readonly TextNode[] {
  const article = findElement(readTree(page), "article");
  if (!article) throw new Error("a page of the docs has no article");
  return article.children;
}

function findElement(nodes: readonly TextNode[], tag: string): TextElement | null {
  for (const node of nodes) {
    if (typeof node === "string") continue;
    const found = node.tag === tag ? node : findElement(node.children, tag);
    if (found) return found;
  }
  return null;
}

/** Elements that stand apart from the text after them. */
const blocks = new Set(["dt", "dd", "li", "p", "td", "th", "figcaption"]);

/** All text below these nodes, without that of `skipped` elements. */
export const textOf = (nodes: readonly TextNode[], skipped: (element: TextElement) => boolean = () => false): string =>
  nodes
    .map((node) => {
      if (typeof node === "string") return node;
      if (skipped(node)) return " ";
      return textOf(node.children, skipped) + (blocks.has(node.tag) ? " " : "");
    })
    .join("");

export function readTree(node: ReactNode): TextNode[] {
  if (node === null || node === undefined || typeof node === "boolean") return [];
  if (typeof node === "string" || typeof node === "number" || typeof node === "bigint") return [`${node}`];
  if (isValidElement<Props>(node)) return readElement(node);
  if (Symbol.iterator in node) return [...node].flatMap(readTree);
  throw new Error("a page of the docs waits for something");
}

function readElement({ type, props }: ReactElement<Props>): TextNode[] {
  if (typeof type === "string") return readHostElement(type, props);
  if (browserOnly.has(type)) return [];
  // Next's Link needs a browser; ours end in one.
  if (typeof props.href === "string" && "children" in props) return [{ tag: "a", href: props.href, children: readTree(props.children) }];
  // A fragment is a symbol.
  if (typeof type !== "function") return readTree(props.children);
  if ("$$typeof" in type) throw new Error("a page of the docs has a component for browsers that is not named here");
  return readTree((type as (given: Props) => ReactNode)(props));
}

function readHostElement(tag: string, props: Props): TextNode[] {
  const names = typeof props.className === "string" ? props.className.split(" ") : [];
  if (controls.has(tag) || names.includes("sr-only")) return [];
  const [id, href] = [props.id, props.href].map((value) => (typeof value === "string" ? value : undefined));
  return [{ tag, id, href, children: readTree(props.children) }];
}
