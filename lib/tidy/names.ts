// Names: kebab-case files, and no word that says nothing about the content.

import ts from "typescript";
import { isCode, type Rule, syntaxRule } from "./tree";

const emptyWords = /^(utils?|helpers?|misc|managers?|common)$/;
// `typed-data` names a thing; `data` alone names nothing.
const emptyNames = /^(data)$/;

export const emptyFileNames: Rule = (tree) =>
  [...tree.keys()]
    .filter((path) => /^(lib|app|components|e2e|bench|prisma)\//.test(path) && !path.includes("/fixtures/"))
    .flatMap((path) => {
      const segments = path.split("/").map((segment) => segment.replace(/\..*$/, ""));
      const empty = segments.find((segment) => emptyNames.test(segment) || segment.split(/[-_]/).some((word) => emptyWords.test(word)));
      return empty ? [{ file: path, message: `"${empty}" says nothing about what is inside: name the file or folder by its noun.` }] : [];
    });

const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)+$/;
const folder = /^[a-z0-9]+(-[a-z0-9]+)*$/;
// Names with a meaning in Next: (group), [param], [...rest], [[...rest]], @slot, _private, and a file that a route serves; and the folder
// that RFC 8615 names.
const nextFolder = /^(\.well-known|\([a-z0-9-]+\)|\[\[?(\.\.\.)?[a-zA-Z0-9]+\]?\]|[@_][a-z0-9-]+|[a-z0-9-]+\.(txt|xml|json))$/;

export const kebabCase: Rule = (tree) =>
  [...tree.keys()]
    .filter((path) => isCode(path) || path.endsWith(".css"))
    .flatMap((path) => {
      const segments = path.split("/");
      const file = segments.pop() ?? "";
      const right =
        kebab.test(segments.length === 0 ? file.replace(/^\./, "") : file) &&
        segments.every((name) => folder.test(name) || nextFolder.test(name));
      return right ? [] : [{ file: path, message: "is not kebab-case: write lower-case words joined by hyphens." }];
    });

export const emptyFunctionNames = syntaxRule(isCode, (node, source) => {
  const isFunction =
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ((ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node)) &&
      node.initializer !== undefined &&
      ts.isFunctionLike(node.initializer));
  // A class that implements an interface takes its method names from there.
  if (ts.isMethodDeclaration(node) && ts.isClassDeclaration(node.parent) && implementsSomething(node.parent)) return null;
  const name = isFunction && node.name ? node.name.getText(source) : "";
  return /^handle([A-Z]|$)/.test(name) ? `${name} says when it runs, not what it does: name it by its verb and noun.` : null;
});

const implementsSomething = ({ heritageClauses }: ts.ClassDeclaration): boolean =>
  heritageClauses?.some(({ token }) => token === ts.SyntaxKind.ImplementsKeyword) ?? false;
