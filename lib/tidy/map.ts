// The map of the house: lib/README.md lists each folder of lib/ with one sentence, and lists none that is not there.

import type { Rule } from "./tree";

const mapFile = "lib/README.md";
// A list item, a table row or a line of a code block: `name/` first, its sentence after it.
const entry = /^\s*(?:[-*|]\s*)?`?(?:lib\/)?([a-z][a-z0-9-]*)\/`?\s*[|:–—-]*\s*(.*?)\s*\|?\s*$/;

export const mapEqualsDisk: Rule = (tree) => {
  const text = tree.get(mapFile);
  if (text === undefined)
    return [
      { file: mapFile, message: "is missing: list each folder of lib/ with one sentence, like: - `ledger/`: the only writer of money." },
    ];
  const listed = new Map<string, number>();
  const problems = text.split("\n").flatMap((line, index) => {
    const [, name, sentence = ""] = entry.exec(line) ?? [];
    if (name === undefined) return [];
    const again = listed.has(name);
    listed.set(name, index + 1);
    if (again) return [{ file: mapFile, line: index + 1, message: `lists ${name}/ twice: keep one line a folder.` }];
    return sentence.split(/\s+/).length < 3
      ? [{ file: mapFile, line: index + 1, message: `says nothing about ${name}/: give it one sentence.` }]
      : [];
  });
  const folders = new Set([...tree.keys()].flatMap((path) => /^lib\/([^/]+)\//.exec(path)?.[1] ?? []));
  for (const name of folders) {
    if (!listed.has(name))
      problems.push({
        file: mapFile,
        line: 1,
        message: `lacks ${name}/: add a line with its one sentence, or move its files where they belong.`,
      });
  }
  for (const [name, line] of listed) {
    if (!folders.has(name)) problems.push({ file: mapFile, line, message: `lists ${name}/, which is not there: delete the line.` });
  }
  return problems;
};
