// The decisions: each says in a fixed form whether it holds, is short, names what was rejected, and is in the index once.

import { MAX_DECISION_WORDS } from "./limits";
import type { Problem, Rule, Tree } from "./tree";

const folder = "lib/decisions/";
const indexFile = `${folder}README.md`;
const decisionFile = /^lib\/decisions\/(\d{4})-[a-z0-9-]+\.md$/;
const date = String.raw`\d{4}-\d{2}-\d{2}`;
const status = new RegExp(String.raw`^(?:Accepted|Superseded by \[(\d{4})\]\(((\d{4})-[a-z0-9-]+\.md)\)), ${date}\.$`);

interface Decision {
  file: string;
  number: string;
  text: string;
}

const decisionsOf = (tree: Tree): Decision[] =>
  [...tree].flatMap(([file, text]) => {
    const number = decisionFile.exec(file)?.[1];
    return number === undefined ? [] : [{ file, number, text }];
  });

const isSuperseded = ({ text }: Decision): boolean => text.split("\n")[2]?.startsWith("Superseded") === true;

export const decisionsSayTheirStatus: Rule = (tree) => decisionsOf(tree).flatMap((decision) => statusProblems(decision, tree));

function statusProblems({ file, number, text }: Decision, tree: Tree): Problem[] {
  const [title = "", blank, line = ""] = text.split("\n");
  const problems: Problem[] = [];
  if (!title.startsWith(`# ${number} `)) problems.push({ file, line: 1, message: `has another title: begin with "# ${number} ".` });
  const found = status.exec(line);
  if (!found || blank !== "") {
    const forms = `"Accepted, 2026-01-31." or "Superseded by [0002](0002-name.md), 2026-01-31."`;
    problems.push({ file, line: 3, message: `has no status: write ${forms} below the title, after a blank line.` });
  }
  const [, label, successor, successorNumber] = found ?? [];
  if (successor !== undefined && (label !== successorNumber || label === number || !tree.has(folder + successor)))
    problems.push({ file, line: 3, message: `is superseded by ${successor}, which is no other decision: name the one that holds now.` });
  return problems;
}

export const decisionsAreShort: Rule = (tree) =>
  decisionsOf(tree).flatMap(({ file, text }) => {
    const words = text.match(/\S+/g)?.length ?? 0;
    return words > MAX_DECISION_WORDS
      ? [{ file, message: `has ${words} words: leave out what code and tests say, down to ${MAX_DECISION_WORDS}.` }]
      : [];
  });

export const decisionsNameAlternatives: Rule = (tree) =>
  decisionsOf(tree)
    .filter(({ text }) => !/^(?:## Rejected$|.*\bRejected: )/m.test(text))
    .map(({ file }) => ({ file, message: `names no alternative: write "Rejected: …", and why, with its figure if it was measured.` }));

export const decisionsAreInTheIndex: Rule = (tree) => {
  const decisions = decisionsOf(tree);
  const lines = (tree.get(indexFile) ?? "").split("\n");
  const listed = lines.flatMap((text, index) =>
    [...text.matchAll(/\]\((\d{4}-[a-z0-9-]+\.md)\)/g)].map(([, name = ""]) => ({ file: folder + name, text, line: index + 1 })),
  );
  return [
    ...listed
      .filter(({ file }) => !tree.has(file))
      .map(({ file, line }) => ({ file: indexFile, line, message: `lists ${file}, which is not there: correct the link.` })),
    ...decisions.flatMap((decision) => {
      const entries = listed.filter(({ file }) => file === decision.file);
      const [entry] = entries;
      if (!entry || entries.length > 1)
        return [{ file: indexFile, message: `lists ${decision.file} ${entries.length} times: list it once, in the part that it binds.` }];
      return entry.text.includes("superseded") === isSuperseded(decision)
        ? []
        : [{ file: indexFile, line: entry.line, message: `and ${decision.file} disagree: write "superseded" where its status says so.` }];
    }),
  ];
};
