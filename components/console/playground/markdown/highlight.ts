// Code in colours: highlight.js by lowlight, which gives a tree and no HTML. Loaded on demand, with the languages that models write most.

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

const lowlight = createLowlight({ bash, css, go, java, javascript, json, python, rust, sql, typescript, xml, yaml });

/** Null for a language that is not known. */
export function highlight(language: string, text: string): readonly HighlightedNode[] | null {
  if (!lowlight.registered(language)) return null;
  return lowlight.highlight(language, text).children.flatMap(read);
}

type LowlightNode = ReturnType<typeof lowlight.highlight>["children"][number];

function read(node: LowlightNode): HighlightedNode[] {
  if (node.type === "text") return [node.value];
  if (node.type !== "element") return [];
  const names = node.properties.className;
  return [{ names: Array.isArray(names) ? names.map(String) : [], children: node.children.flatMap(read) }];
}
