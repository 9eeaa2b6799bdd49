// Sizes: a file is one noun, a function one thought.

import ts from "typescript";
import { isCode, isProductCode, type Rule, syntaxRule } from "./tree";

const maxFileLines = 300;
const maxFunctionLines = 60;
const maxComponentLines = 100;
const maxFiles = 25;

export const fileLength: Rule = (tree) =>
  [...tree]
    .filter(([path]) => isCode(path))
    .map(([path, text]) => ({ file: path, lines: text.split("\n").length - (text.endsWith("\n") ? 1 : 0) }))
    .filter(({ lines }) => lines > maxFileLines)
    .map(({ file, lines }) => ({
      file,
      message: `has ${lines} lines, more than ${maxFileLines}. It is probably two nouns: split it along them.`,
    }));

/** Files directly in a folder; files in its subfolders do not count. */
export const folderSize: Rule = (tree) => {
  const folders = new Map<string, number>();
  for (const path of [...tree.keys()].filter(isProductCode)) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  return [...folders]
    .filter(([, files]) => files > maxFiles)
    .map(([folder, files]) => ({
      file: folder,
      message: `holds ${files} files, more than ${maxFiles}: give those of one noun a folder.`,
    }));
};

export const functionLength = syntaxRule(isCode, (node, source, path) => {
  if (!ts.isFunctionLike(node) || !("body" in node) || !node.body || isGroupOfTests(node)) return null;
  const name = nameOf(node, source);
  const limit = path.endsWith(".tsx") && /^[A-Z]/.test(name) ? maxComponentLines : maxFunctionLines;
  const line = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const lines = line(node.end) - line(node.getStart(source)) + 1;
  return lines > limit ? `${name} has ${lines} lines, more than ${limit}. Give its steps names and make them functions.` : null;
});

/** `describe` holds tests as a file holds functions. */
function isGroupOfTests(node: ts.Node): boolean {
  return ts.isCallExpression(node.parent) && /^describe\b/.test(node.parent.expression.getText());
}

function nameOf(node: ts.Node, source: ts.SourceFile): string {
  const holder = ts.isVariableDeclaration(node.parent) || ts.isPropertyAssignment(node.parent) ? node.parent : node;
  const name = (holder as { name?: ts.Node }).name;
  return name ? name.getText(source) : "this function";
}
