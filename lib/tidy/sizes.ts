// Sizes: a file is one noun, a function one thought.

import ts from "typescript";
import { isCode, type Rule, syntaxRule } from "./tree";

const maxFileLines = 300;
const maxFunctionLines = 60;
const maxComponentLines = 100;

export const fileLength: Rule = (tree) =>
  [...tree]
    .filter(([path]) => isCode(path))
    .map(([path, text]) => ({ file: path, lines: text.split("\n").length - (text.endsWith("\n") ? 1 : 0) }))
    .filter(({ lines }) => lines > maxFileLines)
    .map(({ file, lines }) => ({
      file,
      message: `has ${lines} lines, more than ${maxFileLines}. It is probably two nouns: split it along them.`,
    }));

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
