// The two lists that outsiders rely on: every error code is thrown somewhere and tested; every setting is documented.

import { configVariables } from "@/lib/base/config";
import { errorCatalogue } from "@/lib/base/errors";
import { isProductCode, isTestCode, type Rule } from "./tree";

const errorsFile = "lib/base/errors.ts";

/** Every code is thrown by product code, maybe through a table or a variable of the same file, and is named in a test. */
export function errorCodes(codes: readonly string[]): Rule {
  return (tree) => {
    const files = [...tree].filter(([path]) => !path.startsWith("lib/tidy/") && path !== errorsFile);
    const throwing = files.filter(([path, text]) => isProductCode(path) && text.includes("new AppError("));
    const thrown = new Set(throwing.flatMap(([, text]) => text.match(/(?<=")[A-Z][A-Z0-9_]+(?=")/g) ?? []));
    const named = new Set(files.filter(([path]) => isTestCode(path)).flatMap(([, text]) => text.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? []));
    const notThrown = codes.filter((code) => !thrown.has(code)).map((code) => `${code} is never thrown: throw it, or delete the entry.`);
    const notTested = codes
      .filter((code) => !named.has(code))
      .map((code) => `${code} is named in no test: test its status, body and headers.`);
    return [...notThrown, ...notTested].map((message) => ({ file: errorsFile, message }));
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

export const ourErrorCodes = errorCodes(Object.keys(errorCatalogue));
export const ourSettings = settings(configVariables);
