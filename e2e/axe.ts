// axe-core on a page in its current state: serious and critical findings fail the test, and everything is counted for the summary.
// In `npm run test:long` in both themes, which differ in nothing but colours, so in the second one only the rules about colours are run.
// In `npm test` in one theme: half of the states in the light one, half in the dark one.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import type { AxeResults, RunOptions } from "axe-core";
import { expect, isLong } from "./browser";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A known fault that we cannot fix: a rule, on the nodes that a selector matches. */
export interface Exception {
  rule: string;
  selector: string;
}

interface Scan {
  state: string;
  theme: "light" | "dark";
  /** Rules that applied somewhere on the page and passed. */
  passed: number;
  /** `impact rule: selector` of each node that breaks a rule. */
  broken: string[];
  excepted: string[];
}

const themes = ["light", "dark"] as const;
const aboutColours = ["color-contrast", "link-in-text-block"];
const grave = /^(serious|critical) /;

const seen: Scan[] = [];

/** Both, or the one that the state's name chooses. */
function themesFor(state: string): readonly Scan["theme"][] {
  const [chosen = 0] = createHash("sha256").update(state).digest();
  return isLong ? themes : [chosen % 2 === 0 ? "light" : "dark"];
}

/** Scans the page, and fails on serious and critical findings. */
export async function expectAccessible(page: Page, state: string, exceptions: readonly Exception[] = []): Promise<void> {
  const scans: Scan[] = [];
  for (const [index, theme] of themesFor(state).entries()) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await page.evaluate(settle);
    scans.push(await scan(page, { state, theme, rules: index === 0 ? null : aboutColours }, exceptions));
  }
  seen.push(...scans);
  expect(
    scans.flatMap(({ theme, broken }) => broken.filter((line) => grave.test(line)).map((line) => `${theme}: ${line}`)),
    state,
  ).toEqual([]);
}

async function runTitled(page: Page, rules: string[] | null) {
  await expect(page).toHaveTitle(/./);
  return page.evaluate(run, rules);
}

interface Task extends Pick<Scan, "state" | "theme"> {
  /** Null for all. */
  rules: string[] | null;
}

async function scan(page: Page, { state, theme, rules }: Task, exceptions: readonly Exception[]): Promise<Scan> {
  if (!(await page.evaluate(() => Reflect.has(window, "axe")))) await page.evaluate(source);
  let results = await runTitled(page, rules);
  // While a page is read anew its title may be away for a moment: then it is looked at again.
  if (results.violations.some(({ id }) => id === "document-title")) results = await runTitled(page, rules);
  const found = results.violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, any }) => ({ id, impact, target: target.join(" "), why: any[0]?.message ?? "" })),
  );
  const isExcepted = await Promise.all(
    found.map(async ({ id, target }) => {
      for (const { rule, selector } of exceptions) {
        if (
          rule === id &&
          (await page.evaluate(([node, known]) => document.querySelector(node ?? "")?.matches(known ?? ""), [target, selector]))
        )
          return true;
      }
      return false;
    }),
  );
  const lines = found.map(({ id, impact, target, why }) => `${impact} ${id}: ${target} (${why.slice(0, 200)})`);
  return {
    state,
    theme,
    passed: results.passes.length,
    broken: lines.filter((_line, index) => !isExcepted[index]),
    excepted: lines.filter((_line, index) => isExcepted[index]),
  };
}

/** In the page: waits for transitions to end; until then colours are neither the old nor the new ones. */
async function settle(): Promise<void> {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const finite = document.getAnimations().filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
  await Promise.allSettled(finite.map(({ finished }) => finished));
}

/** In the page: all rules that are on by default, or these. */
function run(rules: string[] | null): Promise<AxeResults> {
  const axe: { run: (options: RunOptions) => Promise<AxeResults> } = Reflect.get(window, "axe");
  return axe.run({ resultTypes: ["violations"], ...(rules && { runOnly: { type: "rule", values: rules } }) });
}

/** Prints what this worker scanned. */
export function printScans(): void {
  const states = new Set(seen.map(({ state }) => state)).size;
  const broken = seen.flatMap(({ broken }) => broken);
  const of = (impact: string) => broken.filter((line) => line.startsWith(`${impact} `)).length;
  const counts = ["critical", "serious", "moderate", "minor"].map((impact) => `${of(impact)} ${impact}`).join(", ");
  console.log(`axe-core: ${seen.length} scans of ${states} states, ${counts}`);
  for (const line of new Set(broken)) console.log(`  ${line}`);
  for (const line of new Set(seen.flatMap(({ excepted }) => excepted))) console.log(`  excepted: ${line}`);
}
