// Words: names that a reader would search for. The listed words were private to this project, or say less than their replacement.

import ts from "typescript";
import { isCode, isTypeScript, type Rule, syntaxRule } from "./tree";

const verbs: Readonly<Record<string, string>> = {
  note: "record",
  tell: "notify, print or set",
  say: "print",
  ask: "request, fetch or call",
  know: "has or is",
  make: "create",
};

const verb = new RegExp(`^(${Object.keys(verbs).join("|")})[A-Z]`);

export const plainVerbs = syntaxRule(isCode, (node, source) => {
  const isFunction =
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    (ts.isVariableDeclaration(node) && node.initializer !== undefined && ts.isFunctionLike(node.initializer));
  const name = isFunction && node.name ? node.name.getText(source) : "";
  const found = verb.exec(name)?.[1];
  return found === undefined ? null : `${name} does not say what it does: begin with ${verbs[found]}.`;
});

const words: Readonly<Record<string, string>> = {
  door: "server, entry or route",
  seldomer: "backoff",
  Appetite: "scan window",
  eatLess: "shrink",
  eachByItself: "forEachIsolated",
  SettleWay: "SettlementStrategy",
  ShortWait: "BusyPoll",
  sellAnswer: "runPrompt",
  roomy: "a word that says of what there is much",
};
const prefixes: Readonly<Record<string, string>> = { MOST_: "MAX_", LEAST_: "MIN_" };

const own = "lib/tidy/words.ts";

export const plainWords: Rule = (tree) => {
  const old = new RegExp(`\\b(?:${Object.keys(words).join("|")})\\b|\\b(?:${Object.keys(prefixes).join("|")})(?=[A-Z])`, "g");
  return [...tree]
    .filter(([path]) => isTypeScript(path) && path !== own && path !== "lib/tidy/rules.test.ts")
    .flatMap(([file, text]) =>
      text.split("\n").flatMap((content, index) =>
        [...content.matchAll(old)].map(([word]) => ({
          file,
          line: index + 1,
          message: `says ${word}: write ${words[word] ?? prefixes[word]}.`,
        })),
      ),
    );
};
