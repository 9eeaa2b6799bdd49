// Code in colours: highlight.js by lowlight, which gives a tree and no HTML. Loaded on demand, with the languages that models write most.
// An answer is untrusted, and no code may stop its page: its length and its depth are bounded, and no language is coloured inside another.

import type { LanguageFn } from "highlight.js";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";

export type HighlightedNode = string | { names: readonly string[]; children: readonly HighlightedNode[] };

/** Characters; longer code is shown in one colour. */
export const MAX_HIGHLIGHTED = 10_000;
/** Spans within each other; a deeper span has the colour of the span around it. */
const MAX_DEPTH = 12;

const languages = { bash, css, go, java, javascript, json, python, rust, sql, typescript, xml, yaml };
const lowlight = createLowlight(
  Object.fromEntries(Object.entries(languages).map(([name, language]) => [name, withoutEmbedding(language)])),
);

/** Null for a language that is not known, and for code that is too long. */
export function highlight(language: string, text: string): readonly HighlightedNode[] | null {
  if (text.length > MAX_HIGHLIGHTED || !lowlight.registered(language)) return null;
  return lowlight.highlight(language, text).children.flatMap((node) => read(node, 1));
}

/** Without the languages inside it, such as scripts in HTML: each is highlighted anew at every tag, which takes minutes for thousands. */
function withoutEmbedding(language: LanguageFn): LanguageFn {
  return (hljs) => {
    const definition = language(hljs);
    removeEmbedding(definition, new Set());
    return definition;
  };
}

/** A definition is a graph of modes, which may contain themselves. */
function removeEmbedding(mode: object, seen: Set<object>): void {
  if (seen.has(mode) || mode instanceof RegExp) return;
  seen.add(mode);
  Reflect.deleteProperty(mode, "subLanguage");
  for (const part of Object.values(mode)) if (typeof part === "object" && part !== null) removeEmbedding(part, seen);
}

type LowlightNode = ReturnType<typeof lowlight.highlight>["children"][number];

function read(node: LowlightNode, depth: number): HighlightedNode[] {
  if (node.type === "text") return [node.value];
  if (node.type !== "element") return [];
  const names = node.properties.className;
  const children = depth < MAX_DEPTH ? node.children.flatMap((child) => read(child, depth + 1)) : [node.children.map(textOf).join("")];
  return [{ names: Array.isArray(names) ? names.map(String) : [], children }];
}

/** Not by recursion: hostile code is thousands of spans deep. */
function textOf(node: LowlightNode): string {
  const waiting = [node];
  let text = "";
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (next.type === "text") text += next.value;
    else if (next.type === "element") waiting.push(...next.children.toReversed());
  }
  return text;
}
