// A page of the docs as Markdown, for agents: turndown writes it from the page's own elements.

import TurndownService from "turndown";
import type { TextElement, TextNode } from "./read-tree";

/** Markdown of these nodes; links become absolute. */
export function writeMarkdown(nodes: readonly TextNode[], baseUrl: string): string {
  return `${writer().turndown(htmlOf(nodes, baseUrl))}\n`;
}

function htmlOf(nodes: readonly TextNode[], baseUrl: string): string {
  return nodes.map((node) => (typeof node === "string" ? escapeHtml(node) : elementHtml(node, baseUrl))).join("");
}

function elementHtml({ tag, href, children }: TextElement, baseUrl: string): string {
  // A heading links to itself on the page.
  if (tag === "a" && href?.startsWith("#")) return htmlOf(children, baseUrl);
  const link = href === undefined ? "" : ` href="${escapeHtml(href.startsWith("/") ? baseUrl + href : href)}"`;
  const inside = htmlOf(children, baseUrl);
  return tag === "br" || tag === "wbr" ? "" : `<${tag}${link}>${inside}</${tag}>`;
}

const escapeHtml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

function writer(): TurndownService {
  const service = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-", emDelimiter: "*" });
  service.addRule("code", { filter: "pre", replacement: (_, node) => fence(node.textContent ?? "", titleAbove(node)) });
  service.addRule("title", { filter: ["figcaption", "summary"], replacement: (content) => `\n\n${content.trim()}:\n\n` });
  service.addRule("term", { filter: "dt", replacement: (content) => `\n- **${oneLine(content)}**: ` });
  service.addRule("meaning", { filter: "dd", replacement: (content) => oneLine(content) });
  service.addRule("terms", { filter: "dl", replacement: (content) => `\n\n${content.trim()}\n\n` });
  service.addRule("cell", { filter: ["th", "td"], replacement: (content) => `| ${oneLine(content).replaceAll("|", "\\|")} ` });
  service.addRule("row", {
    filter: "tr",
    replacement: (content, node) =>
      `${content}|\n${node.parentNode?.nodeName === "THEAD" ? `${"| --- ".repeat(node.childNodes.length)}|\n` : ""}`,
  });
  service.addRule("rows", { filter: ["thead", "tbody"], replacement: (content) => content });
  service.addRule("table", { filter: "table", replacement: (content) => `\n\n${content.trim()}\n\n` });
  return service;
}

const oneLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .join(" ");

/** A fence that its code does not contain. */
function fence(code: string, title: string): string {
  const marks = code.includes("```") ? "````" : "```";
  return `\n\n${marks}${languageOf(title, code)}\n${code.trimEnd()}\n${marks}\n\n`;
}

/** The text of the caption before the code. */
function titleAbove(node: TurndownService.Node): string {
  const figure = "closest" in node ? node.closest("figure") : null;
  return figure?.querySelector("figcaption")?.textContent ?? "";
}

const languages: readonly (readonly [of: RegExp, language: string])[] = [
  [/TypeScript|\.ts\b|viem|AI SDK/, "ts"],
  [/Python|\.py\b/, "python"],
  [/\.toml\b/, "toml"],
  [/\.json\b|^Answer/, "json"],
  [/curl|Terminal|Set the/, "sh"],
];

function languageOf(title: string, code: string): string {
  if (code.startsWith("curl ") || code.startsWith("export ")) return "sh";
  if (code.startsWith("{")) return "json";
  if (code.startsWith("import ") && code.includes(' from "')) return "ts";
  return languages.find(([of]) => of.test(title))?.[1] ?? "";
}
