// The files of this project, as the tidy rules see them: path, text and syntax tree, and the kind of code.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";

/** A violation that a rule found, and how to fix it. */
export interface Problem {
  file: string;
  line?: number;
  /** The problem, and what to do about it. */
  message: string;
}

/** The files by their path from the root, with forward slashes. */
export type Tree = ReadonlyMap<string, string>;

export type Rule = (tree: Tree) => Problem[];

const binary = new Set([".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".woff", ".woff2", ".ttf", ".wasm", ".gz", ".zip", ".pdf"]);
const untracked = new Set([
  "node_modules",
  ".next",
  ".data",
  ".git",
  "dist",
  "test-results",
  "generated",
  "next-env.d.ts",
  ".env",
  ".env.local",
]);

export const isCode = (path: string): boolean => /\.(ts|tsx|mjs|cjs)$/.test(path) && !path.endsWith(".d.ts");
export const isTypeScript = (path: string): boolean => /\.tsx?$/.test(path) && !path.endsWith(".d.ts");

/** Tests and code used only by them; .dependency-cruiser.cjs draws the same line. */
export const isTestCode = (path: string): boolean =>
  /\.test\.tsx?$|(^|\/)testing(\/|\.ts$)|(^|\/)fixtures\/|^(e2e|bench)\/|^lib\/tidy(\/|\.test\.ts$)/.test(path);

export const isProductCode = (path: string): boolean => isTypeScript(path) && /^(lib|app|components)\//.test(path) && !isTestCode(path);

/** The folder of lib/ that a file belongs to, or null. */
export const folderOfLib = (path: string): string | null => /^lib\/([^/]+)\//.exec(path)?.[1] ?? null;

/** All files that git tracks or would track, so that a new file is checked before its commit. */
export function readTree(root: string): Tree {
  const paths = listByGit(root) ?? listByWalking(root, "");
  const tree = new Map<string, string>();
  for (const path of paths.sort()) {
    if (!binary.has(extname(path))) tree.set(path, readFileSync(join(root, path), "utf8"));
  }
  return tree;
}

/** Null without git or without a repository: a copy without history is checked too. */
function listByGit(root: string): string[] | null {
  try {
    const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 1 << 26,
    });
    return [...new Set(listed.split("\0"))].filter(
      (path) => path !== "" && statSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true,
    );
  } catch {
    return null;
  }
}

function listByWalking(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (untracked.has(entry.name) || entry.name.endsWith(".tsbuildinfo")) return [];
    return entry.isDirectory() ? listByWalking(root, path) : entry.isFile() ? [path] : [];
  });
}

/** A rule that looks at each line of text of the files that it applies to. */
export function lineRule(applies: (path: string) => boolean, check: (line: string, path: string) => string | null): Rule {
  return (tree) =>
    [...tree]
      .filter(([path]) => applies(path))
      .flatMap(([path, text]) =>
        text.split("\n").flatMap((line, index) => {
          const message = check(line, path);
          return message === null ? [] : [{ file: path, line: index + 1, message }];
        }),
      );
}
