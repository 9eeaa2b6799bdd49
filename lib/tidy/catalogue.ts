// The two lists that outsiders rely on: every error code is thrown somewhere and tested; every setting is documented.

import ts from "typescript";
import { configVariables } from "@/lib/base/config";
import { errorCatalogue } from "@/lib/base/errors";
import { isProductCode, isTestCode, parse, type Rule, type Tree, walk } from "./tree";

const errorsFile = "lib/base/errors.ts";

/** String literals in the files that throw an AppError: a code may reach it through a table or a variable. */
function codesThrown(tree: Tree): Set<string> {
  const codes = new Set<string>();
  for (const [path, text] of tree) {
    if (!isProductCode(path) || path === errorsFile || !text.includes("new AppError(")) continue;
    walk(parse(tree, path), (node) => {
      if (ts.isStringLiteral(node)) codes.add(node.text);
    });
  }
  return codes;
}

/** Codes of the contract that are not thrown yet, each with its reason. */
const notThrownYet: Readonly<Record<string, string>> = {};

/** Every code is thrown by product code or excused with a reason, and is named in a test. */
export function errorCodes(codes: readonly string[], excused: Readonly<Record<string, string>> = {}): Rule {
  return (tree) => {
    const thrown = codesThrown(tree);
    const tests = [...tree].filter(([path]) => isTestCode(path) && !path.startsWith("lib/tidy/")).map(([, text]) => text);
    return codes.flatMap((code) => [
      ...(thrown.has(code) && code in excused
        ? [{ file: errorsFile, message: `${code} is thrown: delete its entry in notThrownYet of lib/tidy/catalogue.ts.` }]
        : []),
      ...(thrown.has(code) || code in excused
        ? []
        : [{ file: errorsFile, message: `${code} is never thrown: throw it where it belongs, or delete the entry.` }]),
      ...(tests.some((text) => new RegExp(`\\b${code}\\b`).test(text))
        ? []
        : [{ file: errorsFile, message: `${code} is named in no test: test its status, body and headers.` }]),
    ]);
  };
}

/** .env.example documents every variable of the settings, and nothing else. */
export function settings(variables: readonly string[]): Rule {
  return (tree) => {
    const example = tree.get(".env.example");
    if (example === undefined)
      return [{ file: ".env.example", message: "is missing: document every variable of lib/base/config.ts in it." }];
    const documented = new Set([...example.matchAll(/^#?\s*([A-Z][A-Z0-9_]*)=/gm)].map((match) => match[1] ?? ""));
    return [
      ...variables
        .filter((name) => !documented.has(name))
        .map((name) => ({ file: ".env.example", message: `lacks ${name}: write "# ${name}=…" with a line on what it does.` })),
      ...[...documented]
        .filter((name) => !variables.includes(name))
        .map((name) => ({
          file: ".env.example",
          message: `names ${name}, which lib/base/config.ts does not read: delete it, or add it to the schema.`,
        })),
    ];
  };
}

export const ourErrorCodes = errorCodes(Object.keys(errorCatalogue), notThrownYet);
export const ourSettings = settings(configVariables);
