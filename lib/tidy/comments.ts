// Comments and casts: each file of lib/ opens with what it owns and promises, nothing is left for later, and no type is forced.

import { isCode, isTypeScript, lineRule, type Rule } from "./tree";

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

// Not in comments, nor in the proofs of these rules.
const isChecked = (path: string) => path !== "lib/tidy/comments.ts" && path !== "lib/tidy/rules.test.ts";
const forced = /^(?!\s*(\/\/|\*)).*\bas (unknown|any) as\b/;

export const noForcedTypes = lineRule(
  (path) => isTypeScript(path) && isChecked(path),
  (line) =>
    forced.test(line) ? "forces a type through unknown: check the value (zod, a type guard), or correct the type where it is made." : null,
);

const silenced = /@ts-(ignore|nocheck)\b|biome-ignore(-\w+)? lint\/\S*(noExplicitAny|noNonNullAssertion|noConsole|noFloatingPromises)/;

export const nothingSilenced = lineRule(
  (path) => isCode(path) && path !== "lib/tidy/comments.ts",
  (line) => (silenced.test(line) ? "silences a check that has no exceptions here: mend what it found." : null),
);

const byClass = /\binstanceof (AppError|ProviderFailure)\b/;

export const noInstanceofOfOurErrors = lineRule(
  (path) => isCode(path) && isChecked(path),
  (line) => {
    const name = byClass.exec(line)?.[1];
    return name ? `instanceof fails between the copies that Next bundles: call is${name}().` : null;
  },
);
