// The map of the project: lib/README.md lists each folder of lib/ with one sentence, and names no folder that does not exist.

import { MIN_MAP_QUESTIONS } from "./limits";
import type { Rule } from "./tree";

const mapFile = "lib/README.md";

/** Folders that a line names, as `name/` in backticks, each with the text after it. */
function entriesOf(line: string): { name: string; sentence: string }[] {
  return [...line.matchAll(/`(?:lib\/)?([a-z][a-z0-9-]*)\/`([^`]*)/g)].map(([, name = "", sentence = ""]) => ({ name, sentence }));
}

const words = (text: string) => text.match(/\w+/g)?.length ?? 0;

export const mapEqualsDisk: Rule = (tree) => {
  const text = tree.get(mapFile);
  const like = "like: - `ledger/`: the only writer of money.";
  if (text === undefined) return [{ file: mapFile, message: `is missing: list each folder of lib/ with one sentence, ${like}` }];
  const listed = new Map<string, { line: number; sentence: string }>();
  text.split("\n").forEach((line, index) => {
    for (const { name, sentence } of entriesOf(line)) if (!listed.has(name)) listed.set(name, { line: index + 1, sentence });
  });
  const folders = new Set([...tree.keys()].flatMap((path) => /^lib\/([^/]+)\//.exec(path)?.[1] ?? []));
  const missing = [...folders].filter((name) => !listed.has(name));
  return [
    ...missing.map((name) => ({ file: mapFile, message: `lacks ${name}/: add a line with its one sentence, ${like}` })),
    ...[...listed].flatMap(([name, { line, sentence }]) => {
      if (!folders.has(name)) return [{ file: mapFile, line, message: `lists ${name}/, which is not there: delete the line.` }];
      return words(sentence) < 3
        ? [{ file: mapFile, line, message: `says nothing about ${name}/: give it one sentence where it comes first.` }]
        : [];
    }),
  ];
};

/** A row of a table: `| question | \`path\` | \`name\` |`. */
const answer = /^\|\s*([^|]+\?)\s*\|\s*`([^`]+)`\s*\|\s*`([^`]+)`\s*\|/;

/** The file of each question exists and contains the name that answers it. */
export const mapAnswersQuestions: Rule = (tree) => {
  const rows = (tree.get(mapFile) ?? "").split("\n").flatMap((text, index) => {
    const [, question, path = "", name = ""] = answer.exec(text) ?? [];
    return question === undefined ? [] : [{ line: index + 1, path, name }];
  });
  const wrong = rows.flatMap(({ line, path, name }) => {
    const text = tree.get(path);
    if (text === undefined) return [{ file: mapFile, line, message: `leads to ${path}, which is not there: name the file that answers.` }];
    return text.includes(name)
      ? []
      : [{ file: mapFile, line, message: `names ${name}, which is not in ${path}: correct the name, or the file.` }];
  });
  if (rows.length >= MIN_MAP_QUESTIONS) return wrong;
  return [
    ...wrong,
    { file: mapFile, message: `answers ${rows.length} questions: write at least ${MIN_MAP_QUESTIONS}, each with a file and a name.` },
  ];
};

/** Documents that name files in backticks, relative to lib/ or to the root: the map, the guards' tests, and the decisions. */
const isNamingDocument = (path: string) => path === mapFile || path === "SECURITY.md" || /^lib\/decisions\/.*\.md$/.test(path);

export const documentsNameFiles: Rule = (tree) =>
  [...tree]
    .filter(([path]) => isNamingDocument(path))
    .flatMap(([file, content]) =>
      content.split("\n").flatMap((text, index) =>
        [...text.matchAll(/`([a-z0-9()/-]+\/[a-z0-9.-]+\.(?:ts|sql|prisma))`/g)]
          .map(([, path = ""]) => path)
          .filter((path) => !tree.has(`lib/${path}`) && !tree.has(path))
          .map((path) => ({ file, line: index + 1, message: `names ${path}, which is not there: correct the path.` })),
      ),
    );
