// Code in colours: nothing of it is lost, and no answer makes it deep, long or slow.

import { describe, expect, test } from "vitest";
import { type HighlightedNode, highlight, MAX_HIGHLIGHTED } from "./highlight";

const textOf = (nodes: readonly HighlightedNode[]): string =>
  nodes.map((node) => (typeof node === "string" ? node : textOf(node.children))).join("");

const depthOf = (nodes: readonly HighlightedNode[]): number =>
  nodes.reduce((most, node) => Math.max(most, typeof node === "string" ? 0 : 1 + depthOf(node.children)), 0);

const namesOf = (nodes: readonly HighlightedNode[]): string[] =>
  nodes.flatMap((node) => (typeof node === "string" ? [] : [...node.names, ...namesOf(node.children)]));

/** The beginning of everything that opens something else, again and again. */
const hostile = {
  bash: ["$(", '"$(', "<<E\n", "`"],
  css: ["a{", ":not(", "@media (", "url("],
  go: ["func(", "`", "/*", "1e"],
  java: ["@a(", '"""', "class a{", "/*"],
  javascript: ["`${", "<a>", "(a)=>", "html`", "css`${", "class a{", "_"],
  json: ["{", "[", '{"a":', '"'],
  python: ["f'{", '"""', "def f(", "@a("],
  rust: ['r#"', "fn a<", "/*", "'a"],
  sql: ["case when ", "(", "/*", "'"],
  typescript: ["`${", "<T>", "@a(", "html`${", "_", "1e"],
  xml: ["<script>", "<style>", "<?php ", "<a b=", "<![CDATA[", "<!--"],
  yaml: ["- ", "{", "<%", '"', "a: {"],
};

describe.each(Object.entries(hostile))("hostile %s", (language, openings) => {
  test.each(openings)("%j, as often as it is coloured, is whole and shallow", (opening) => {
    const code = opening.repeat(Math.floor(MAX_HIGHLIGHTED / opening.length));
    const nodes = highlight(language, code) ?? [];
    expect(textOf(nodes)).toBe(code);
    expect(depthOf(nodes)).toBeLessThanOrEqual(12);
  });

  test("and longer than is coloured stays plain", () => {
    expect(highlight(language, "a".repeat(MAX_HIGHLIGHTED + 1))).toBeNull();
  });
});

test("no language is coloured inside another: a script in HTML is text up to its end, however many there are", () => {
  const nodes = highlight("html", `${"<script>".repeat(1_000)}const a = 1;</script><p>`) ?? [];
  expect(namesOf(nodes).filter((name) => name.startsWith("language-"))).toEqual([]);
  // The first tag, its end and the paragraph: the other tags are text of the script.
  expect(namesOf(nodes).filter((name) => name === "hljs-tag")).toHaveLength(3);
  expect(namesOf(nodes)).not.toContain("hljs-keyword");
  expect(namesOf(highlight("js", "const a = html`<b>x</b>`; css`a{b:c}`;") ?? [])).not.toContain("hljs-tag");
});

test("what models write is coloured, by any of its names; an unknown language is not", () => {
  expect(namesOf(highlight("ts", "const a: number = 1; // one") ?? [])).toEqual(
    expect.arrayContaining(["hljs-keyword", "hljs-built_in", "hljs-number", "hljs-comment"]),
  );
  expect(namesOf(highlight("html", '<a href="/">x</a>') ?? [])).toEqual(expect.arrayContaining(["hljs-name", "hljs-attr", "hljs-string"]));
  expect(highlight("brainfuck", "+")).toBeNull();
  expect(highlight("", "+")).toBeNull();
});
