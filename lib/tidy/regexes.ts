// Regular expressions: none takes more than linear time, whatever text it meets. One of quadratic time is enough to stop a process with a
// header of 15 kB. `recheck` decides: it proves a regular expression linear, or finds the text that it is slow on. A regex that it refuses is
// rewritten, even one on short texts: none stands here as an exception.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type * as Recheck from "recheck";
import ts from "typescript";
import { isCode, isTestCode, type Problem, type Rule } from "./tree";

interface FoundRegex {
  file: string;
  line: number;
  /** Null: it is put together at run time, so that nobody can check it here. */
  regex: { source: string; flags: string } | null;
}

/**
 * Where there is no proof (look-around, long counts, very many alternatives) hostile texts are tried: few of them, since more took five
 * times as long and found nothing more. No limit of time for a single one: a verdict would depend on how busy the machine is.
 */
const parameters: Recheck.Parameters = {
  timeout: 30_000,
  attackTimeout: null,
  incubationTimeout: null,
  maxIteration: 1,
  maxInitialGenerationSize: 100,
  maxNFASize: 5_000,
};

const load = createRequire(import.meta.url);
const cacheFolder = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url));

export const regexesAreLinear: Rule = (tree) => {
  const found = [...tree].filter(([path, text]) => isCode(path) && !isTestCode(path) && mayHoldRegex.test(text)).flatMap(regexesOf);
  const proofs = new ProofCache();
  const problems = found.flatMap(({ file, line, regex }): Problem[] => {
    const message = regex === null ? "is put together at run time: write a literal, or search without a regex." : proofs.check(regex);
    return message === null ? [] : [{ file, line, message }];
  });
  proofs.save();
  return problems;
};

/** Matches the text before a regex literal. Parsing takes time, and most files have none. */
const mayHoldRegex = /(?:^|[=(),:[!&|?{};>+]|\b(?:return|case|typeof|await|yield|of|in|else))[ \t]*\/(?![/*>])|\bRegExp\b/m;

function regexesOf([file, text]: readonly [string, string]): FoundRegex[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const found: FoundRegex[] = [];
  const visit = (node: ts.Node): void => {
    const regex = regexOf(node);
    if (regex !== undefined) found.push({ file, line: source.getLineAndCharacterOfPosition(node.end).line + 1, regex });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The regex that a node makes; undefined for any other node. */
function regexOf(node: ts.Node): FoundRegex["regex"] | undefined {
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf("/");
    return { source: node.text.slice(1, end), flags: node.text.slice(end + 1) };
  }
  if (!(ts.isNewExpression(node) || ts.isCallExpression(node))) return undefined;
  if (!ts.isIdentifier(node.expression) || node.expression.text !== "RegExp") return undefined;
  const [pattern, flags] = node.arguments ?? [];
  const source = pattern && literalOf(pattern);
  const flagText = flags === undefined ? "" : literalOf(flags);
  return source === undefined || flagText === undefined ? null : { source, flags: flagText };
}

/** A string literal, or a template whose parts are counts in braces, like `a{${n}}`: any count stands for all. */
function literalOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  const before = [node.head, ...node.templateSpans.map((span) => span.literal)].map((part) => part.text);
  const areCounts = before.every(
    (text, index) => (index === 0 || /^[,}]/.test(text)) && (index === before.length - 1 || /[{,]$/.test(text)),
  );
  return areCounts ? before.join("99") : undefined;
}

/** Proved regexes, kept for the next run: proving all takes seconds. Of one kind of proof only, since another may find more. */
class ProofCache {
  readonly #file = join(cacheFolder, "linear-regexes.json");
  readonly #proof = JSON.stringify({ recheck: (load("recheck/package.json") as { version: string }).version, ...parameters });
  readonly #linear: Set<string>;
  readonly #before: number;

  constructor() {
    this.#linear = new Set(this.#read());
    this.#before = this.#linear.size;
  }

  /** Null for a linear regex, else its fault. */
  check({ source, flags }: { source: string; flags: string }): string | null {
    const literal = `/${source}/${flags}`;
    if (this.#linear.has(literal)) return null;
    const message = refute(source, flags);
    if (message === null) this.#linear.add(literal);
    return message;
  }

  save(): void {
    if (this.#linear.size === this.#before) return;
    mkdirSync(cacheFolder, { recursive: true });
    const draft = `${this.#file}.${process.pid}`;
    writeFileSync(draft, JSON.stringify({ proof: this.#proof, linear: [...this.#linear].sort() }));
    renameSync(draft, this.#file);
  }

  #read(): readonly string[] {
    try {
      const kept = JSON.parse(readFileSync(this.#file, "utf8")) as { proof: string; linear: string[] };
      return kept.proof === this.#proof ? kept.linear : [];
    } catch {
      // The first run on this machine, or a file that a full disk cut: everything is proved anew.
      return [];
    }
  }
}

function refute(source: string, flags: string): string | null {
  // In this process: the default starts a thread, which looks for a Java or native build. Read at each call; loading takes 0.2 s.
  process.env.RECHECK_SYNC_BACKEND = "pure";
  const { checkSync } = load("recheck") as typeof Recheck;
  const verdict = checkSync(source, flags, parameters);
  if (verdict.status === "safe") return null;
  const regex = `/${source}/${flags}`;
  if (verdict.status === "unknown") return `has a regex that is not proved linear (${verdict.error.kind}): simplify or split ${regex}`;
  const { complexity, attack } = verdict;
  const growth = complexity.type === "exponential" ? "exponential" : `polynomial (degree ${complexity.degree})`;
  return `has a regex of ${growth} time: mend ${regex}, which is slow on ${attack.pattern.slice(0, 200)}`;
}
