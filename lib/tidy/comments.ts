// Comments and casts: each file of lib/ opens with what it owns and promises, nothing is left for later, and no type is forced.

import ts from "typescript";
import { isCode, isTypeScript, lineRule, type Rule, syntaxRule } from "./tree";

export const openingSentence: Rule = (tree) =>
  [...tree]
    .filter(([path]) => /^lib\/.*\.(ts|tsx|mjs)$/.test(path) && !/\.(test|d)\.tsx?$/.test(path) && !path.includes("/generated/"))
    .filter(([, text]) => !/^(#!.*\n)?\s*(\/\/|\/\*)[\s/*]*\S+(\s+\S+){3,}/.test(text))
    .map(([file]) => ({ file, line: 1, message: "opens without a comment: say in a sentence what this file owns and promises." }));

// In two parts, so that this line does not match itself.
const leftForLater = new RegExp(`\\b(${["TO" + "DO", "FIX" + "ME", "X" + "XX"].join("|")})\\b`);

export const nothingLeftForLater = lineRule(
  (path) => isCode(path) || /\.(sql|prisma|css|md|sol|yml)$/.test(path),
  (line) => (leftForLater.test(line) ? "is left for later: do it now, or delete the note." : null),
);

export const noForcedTypes = syntaxRule(isTypeScript, (node) => {
  if (!ts.isAsExpression(node) || !ts.isAsExpression(node.expression)) return null;
  const forced = node.expression.type.kind === ts.SyntaxKind.UnknownKeyword || node.expression.type.kind === ts.SyntaxKind.AnyKeyword;
  return forced ? "forces a type through unknown: check the value (zod, a type guard), or correct the type where it is made." : null;
});

const silenced = /@ts-(ignore|nocheck)\b|biome-ignore(-\w+)? lint\/\S*(noExplicitAny|noNonNullAssertion|noConsole|noFloatingPromises)/;

export const nothingSilenced = lineRule(
  (path) => isCode(path) && path !== "lib/tidy/comments.ts",
  (line) => (silenced.test(line) ? "silences a check that has no exceptions here: mend what it found." : null),
);

export const noInstanceofOfOurErrors = syntaxRule(isCode, (node, source) => {
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.InstanceOfKeyword) return null;
  const name = node.right.getText(source);
  return name === "AppError" || name === "ProviderFailure"
    ? `instanceof fails between the copies that Next bundles: call is${name}().`
    : null;
});
