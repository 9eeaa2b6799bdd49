// The pages of the docs as text: all of what they show, once, and nothing that only a hand needs.

import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { docsPages } from "@/components/docs/docs-pages";
import { scoreName, searchDocs, wordsOf } from "@/components/palette/search-docs";
import { setSimulatedProviders } from "@/lib/providers/endpoints";
import { listDocTexts } from "./doc-texts";
import { writeMarkdown } from "./markdown";
import { readArticle, readTree, type TextNode } from "./read-tree";
import { buildSearchIndex } from "./search-index";

const everywhere = "http://127.0.0.1:9";
setSimulatedProviders({ openai: everywhere, anthropic: everywhere, gemini: everywhere, xai: everywhere, deepseek: everywhere });
const BASE_URL = "https://example.com";

const elements = (nodes: readonly TextNode[], tag: string): string[] =>
  nodes.flatMap((node) =>
    typeof node === "string" ? [] : [...(node.tag === tag ? [text(node.children)] : []), ...elements(node.children, tag)],
  );
const text = (nodes: readonly TextNode[]): string => nodes.map((node) => (typeof node === "string" ? node : text(node.children))).join("");
/** Without Markdown's marks and the URLs of its links. */
const plain = (written: string): string =>
  written
    .replace(/\]\([^)]*\)/g, "")
    .replace(/[[\]\\*`#]/g, "")
    .replace(/\s+/g, " ");

test("every page of the navigation and every operation and error below it is there once", () => {
  const paths = listDocTexts().map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths).toEqual(expect.arrayContaining(docsPages.map(({ path }) => path)));
  expect(paths).toEqual(expect.arrayContaining(["/docs/api/createPrompt", "/docs/errors/INSUFFICIENT_BALANCE"]));
});

test.each(listDocTexts())("$path as Markdown has its headings, its code and its table cells", ({ title, read }) => {
  const nodes = read();
  const markdown = writeMarkdown(nodes, BASE_URL);
  expect(markdown.startsWith(`# ${title.replaceAll("_", "\\_")}\n`) || markdown.includes(`\n# ${title.replaceAll("_", "\\_")}\n`)).toBe(
    true,
  );
  for (const heading of elements(nodes, "h2")) expect(plain(markdown)).toContain(plain(heading));
  for (const code of elements(nodes, "pre")) expect(markdown).toContain(`\n${code.trimEnd()}\n\`\`\``);
  for (const cell of elements(nodes, "td")) expect(plain(markdown.replaceAll("\\|", "|"))).toContain(plain(cell).trim());
  // Links are absolute, since the text is read elsewhere.
  expect(markdown).not.toMatch(/\]\(\//);
});

test("a table, a term, code and a link are written as Markdown", () => {
  const nodes: TextNode[] = [
    {
      tag: "dl",
      children: [
        { tag: "dt", children: ["When"] },
        { tag: "dd", children: ["Now ", { tag: "a", href: "/docs", children: ["here"] }, "."] },
      ],
    },
    {
      tag: "table",
      children: [
        {
          tag: "thead",
          children: [
            {
              tag: "tr",
              children: [
                { tag: "th", children: ["A"] },
                { tag: "th", children: ["B"] },
              ],
            },
          ],
        },
        {
          tag: "tbody",
          children: [
            {
              tag: "tr",
              children: [
                { tag: "th", children: ["1"] },
                { tag: "td", children: ["x | y"] },
              ],
            },
          ],
        },
      ],
    },
    {
      tag: "figure",
      children: [
        { tag: "figcaption", children: ["TypeScript"] },
        { tag: "pre", children: [{ tag: "code", children: ["a < b;"] }] },
      ],
    },
  ];
  expect(writeMarkdown(nodes, BASE_URL)).toBe(
    "- **When**: Now [here](https://example.com/docs).\n\n| A | B |\n| --- | --- |\n| 1 | x \\| y |\n\nTypeScript:\n\n```ts\na < b;\n```\n",
  );
});

test("what is no part of the text is left out, and a page without an article is a fault", () => {
  expect(readTree([null, false, "a", 1n])).toEqual(["a", "1"]);
  expect(() => readArticle("text")).toThrow("no article");
});

test("the index finds a heading before a text, names its page, and stays small", () => {
  const index = buildSearchIndex();
  const [first] = searchDocs(index.docs, wordsOf("refund"));
  expect(first).toMatchObject({ href: "/docs/withdrawals#back", title: "Refunds", place: "Withdrawals" });
  expect(searchDocs(index.docs, wordsOf("api/v1/quote"))[0]?.href).toBe("/docs/api/quotePrompt");
  expect(searchDocs(index.docs, wordsOf("memo needed"))[0]).toMatchObject({
    href: "/docs/deposits#pay-in",
    excerpt: expect.stringContaining("no memo is needed"),
  });
  expect(searchDocs(index.docs, wordsOf("zebra crossing"))).toEqual([]);
  expect(gzipSync(JSON.stringify(index)).length).toBeLessThan(40_000);
});

test("a name matches by every word, better at the beginning of words", () => {
  expect(scoreName("claude-sonnet-5-5", ["sonnet"])).toBeGreaterThan(scoreName("presonnet", ["sonnet"]));
  expect(scoreName("gpt-4o", ["gpt", "5"])).toBe(0);
});
