// The pages of the docs as text: all of what they show, once, and nothing that only a hand needs.

import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { docsPages } from "@/components/docs/docs-pages";
import { findGroups } from "@/components/palette/groups";
import { scoreName, searchDocs, wordsOf } from "@/components/palette/search-docs";
import type { AccountSearch } from "@/lib/console/views/account-search";
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
const app = fileURLToPath(new URL("../../..", import.meta.url));
const routes = readdirSync(app, { recursive: true, encoding: "utf8" })
  .filter((name) => /(^|\/)page\.tsx$/.test(name) && !name.startsWith("[...missing]"))
  .map((name) => `/${name.replace(/\(\w+\)\//g, "").replace(/\/?page\.tsx$/, "")}`);

/** The page of the app that a link leads to, by its file; null where there is none. */
function findRoute(href: string): string | null {
  const path = href.replace(/[?#].*$/, "");
  const fits = (route: string) => new RegExp(`^${route.replace(/\[\.{3}\w+\]/g, ".+").replace(/\[\w+\]/g, "[^/]+")}$`).test(path);
  return routes.find(fits) ?? null;
}

const account: AccountSearch = {
  keys: [{ id: "key_1", name: "gpt", display: "pp_a…b", state: "active" }],
  requests: [{ requestId: "req_1", state: "charged" }],
};

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

test("the index has every page and every heading that a page shows, and each of its links leads to a page of the site", () => {
  const { docs } = buildSearchIndex();
  const pages = listDocTexts();
  expect(docs.map(({ path, title, parent }) => [path, title, parent ?? null])).toEqual(
    pages.map(({ path, title, parent }) => [path, title, parent]),
  );
  const headingsOf = (nodes: readonly TextNode[]): [id: string, title: string][] =>
    nodes.flatMap((node) => {
      if (typeof node === "string") return [];
      return node.tag === "h2" ? [[node.id ?? "", text(node.children).trim()] as [string, string]] : headingsOf(node.children);
    });
  for (const [index, { read, path }] of pages.entries()) {
    const found = docs[index]?.sections.slice(1).map(([id, title]) => [id, title]);
    expect(found, path).toEqual(headingsOf(read()));
    for (const [id, title] of found ?? []) expect(`${path}#${id}: ${title}`).toMatch(/#\S+: \S/);
    expect(new Set(found?.map(([id]) => id)).size, path).toBe(found?.length);
    expect(docs[index]?.sections[0]?.slice(0, 2), path).toEqual(["", ""]);
  }
  for (const { path } of docs) expect(findRoute(path), path).not.toBeNull();
});

test("every page that the palette lists exists", () => {
  const { docs, models } = buildSearchIndex();
  const rows = ["", "gpt"].flatMap((query) => findGroups(query, { index: { docs, models }, account }).flatMap((group) => group.rows));
  expect(rows.map(({ href }) => href)).toEqual(
    expect.arrayContaining(["/overview", "/status", "/models", "/docs", "/usage?request=req_1"]),
  );
  for (const { href } of rows) expect(findRoute(href), href).not.toBeNull();
  expect(findRoute("/nowhere")).toBeNull();
  expect(findRoute("/docs/nowhere")).toBeNull();
});

test("a name matches by every word, better at the beginning of words", () => {
  expect(scoreName("claude-sonnet-5-5", ["sonnet"])).toBeGreaterThan(scoreName("presonnet", ["sonnet"]));
  expect(scoreName("gpt-4o", ["gpt", "5"])).toBe(0);
});
