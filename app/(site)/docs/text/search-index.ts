// The index that the command palette searches: each heading of the docs with the text below it, and the names of the models.

import type { SearchIndex, SearchPage, SearchSection } from "@/components/palette/search-docs";
import { listModelPrices } from "@/lib/console/models";
import { openApiDocument } from "@/lib/gateway/openapi/document";
import { type DocText, listDocTexts } from "./doc-texts";
import { type TextElement, type TextNode, textOf } from "./read-tree";

export function buildSearchIndex(): SearchIndex {
  const paths = operationPaths();
  return {
    docs: listDocTexts().map((page) => pageOf(page, paths.get(page.path))),
    models: listModelPrices().map(({ id, provider, type }) => ({ id, provider, ...(type && { type }) })),
  };
}

/** `POST /api/v1/prompt`, by the path of the operation's page. */
function operationPaths(): Map<string, string> {
  const all = Object.entries(openApiDocument().paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [`/docs/api/${operationId}`, `${method.toUpperCase()} ${path}`] as const),
  );
  return new Map(all);
}

function pageOf({ path, title, parent, read }: DocText, also: string | undefined): SearchPage {
  const sections: SearchSection[] = [];
  let at: { id: string; title: string; texts: string[] } = { id: "", title: "", texts: also ? [also] : [] };
  const end = () => sections.push([at.id, at.title, shortened(at.texts.join(" "))]);
  for (const block of blocksOf(read())) {
    if (block.tag === "h2") {
      end();
      at = { id: block.id ?? "", title: textOf([block]).trim(), texts: [] };
    } else if (block.tag !== "h1") at.texts.push(textOf([block], isCode));
  }
  end();
  return { path, title, ...(parent && { parent }), sections };
}

/** Headings, and the elements between them, in order: sections and grids are opened. */
function blocksOf(nodes: readonly TextNode[]): TextElement[] {
  return nodes.flatMap((node) => {
    if (typeof node === "string") return [];
    return ["section", "div", "article"].includes(node.tag) ? blocksOf(node.children) : [node];
  });
}

/** Code and long lists of fields would be most of the index. */
const isCode = ({ tag }: TextElement): boolean => tag === "pre" || tag === "figcaption" || tag === "details";

const MOST_CHARACTERS = 700;
const shortened = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, MOST_CHARACTERS);
