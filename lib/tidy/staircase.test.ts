// The rules of .dependency-cruiser.cjs, each proved to fire: one small tree in which every rule is broken once, with one import of every
// allowed kind, on which no rule may fire.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cruise, type IConfiguration, type ICruiseResult } from "dependency-cruiser";
import extractTSConfig from "dependency-cruiser/config-utl/extract-ts-config";
import { afterAll, beforeAll, expect, test } from "vitest";
import floors from "./floors.json" with { type: "json" };

const configuration: IConfiguration = createRequire(import.meta.url)("../../.dependency-cruiser.cjs");

type Broken = readonly [rule: string, file: string, line: string];

const imports: readonly ((of: string) => string)[] = [
  (of) => `import "${of}";`,
  (of) => `import type { Noun } from "${of}";`,
  (of) => `export const late = () => import("${of}");`,
  (of) => `export * from "${of}";`,
];

/** Each folder imports one beside it or above it, in one of the ways to import. */
const climbing = (names: readonly (readonly string[])[], { rule, folder, of }: Record<"rule" | "folder" | "of", string>): Broken[] => {
  const all = names.flat();
  return all.slice(0, -1).map((name, index) => {
    const line = imports[index % imports.length]?.(`${of}${all[index + 1]}/noun`) ?? "";
    return [`${rule}${name}`, `${folder}${name}/climbing.ts`, line];
  });
};

const walletFloors = [["custody"], ["deposits", "withdrawals"], ["sweeps"], ["reserves"]];

/** The rule, the file that breaks it, and the line that breaks it. */
const broken: readonly Broken[] = [
  ...climbing(floors, { rule: "floor-", folder: "lib/", of: "@/lib/" }),
  ["floor-ledger", "lib/ledger/sideways.ts", 'import "../access/noun";'],
  ["floor-server", "lib/server/sideways.ts", 'import "@/app/noun";'],
  ...climbing(walletFloors, { rule: "wallets-floor-", folder: "lib/wallets/", of: "../" }),
  ["wallets-floor-reserves", "lib/wallets/reserves/flat.ts", 'import "../noun";'],
  ["client-stands-alone", "lib/client/not-alone.ts", 'import "@/lib/base/noun";'],
  ["app-imports-console-and-gateway", "app/page.tsx", 'import "@/lib/ledger/noun";'],
  ["components-know-no-product", "components/badge.tsx", 'import "@/lib/base/noun";'],
  ["components-know-no-product", "components/list.tsx", 'import type { Noun } from "@/lib/console/noun";'],
  ["components-know-no-product", "components/frame.tsx", 'import type { Noun } from "@/app/noun";'],
  ["components-take-only-types-from-views", "components/figure.tsx", 'import { noun } from "@/lib/console/views/noun";'],
  ["components-run-in-a-browser", "components/file.tsx", 'import "node:fs";'],
  ["no-database-here", "lib/providers/rows.ts", 'import "pg";'],
  ["no-database-here", "lib/chains/rows.ts", 'import "@/lib/db/noun";'],
  ["base-without-network", "lib/base/network.ts", 'import "node:net";'],
  ["base-without-network", "lib/base/fetcher.ts", 'import "undici";'],
  ["prisma-client-stays-in-db", "lib/access/rows.ts", 'import "@/lib/db/generated/client";'],
  ["raw-pg-only-where-it-must", "lib/relay/driver.ts", 'import "pg";'],
  ["raw-pg-only-where-it-must", "lib/ledger/pooled.ts", 'import "@/lib/db/pool";'],
  ["sandbox-is-loaded-on-demand", "lib/server/eager.ts", 'import "@/lib/sandbox/noun";'],
  ["no-tests-in-the-product", "lib/ledger/tested.ts", 'import "./noun.test";'],
  ["no-tests-in-the-product", "lib/gateway/tested.ts", 'import "@/lib/db/testing/noun";'],
  ["no-tests-in-the-product", "lib/console/tested.ts", 'import "@/bench/noun";'],
  ["no-circle", "lib/ledger/first.ts", 'import "./second";'],
  ["no-unresolved-import", "lib/ledger/nowhere.ts", 'import "./nothing";'],
  ["no-undeclared-package", "lib/ledger/stray.ts", 'import "stray";'],
  ["no-development-package-in-the-product", "lib/ledger/development.ts", 'import "fast-check";'],
];

const allowed: readonly [file: string, line: string][] = [
  ["lib/ledger/down.ts", 'import "@/lib/db/noun"; import "./noun";'],
  ["lib/wallets/reserves/down.ts", 'import "../deposits/noun"; import "../sweeps/noun"; import "../custody/noun";'],
  ["lib/db/down.ts", 'import "pg"; import "./pool";'],
  ["lib/payments/down.ts", 'import "@/lib/ledger/noun"; import "@/lib/chains/noun";'],
  ["lib/providers/down.ts", 'import "@/lib/base/noun"; import "undici";'],
  ["lib/server/late.ts", 'export const late = () => import("@/lib/sandbox/noun");'],
  ["app/route.ts", 'import "@/lib/gateway/noun"; import "@/lib/console/noun"; import "@/lib/base/noun"; import "@/components/ui";'],
  ["components/price.tsx", 'import "@/lib/base/money"; import "./ui";'],
  [
    "components/estimate.ts",
    'import "@/lib/base/tokens/token-estimate"; import "@/lib/base/when-left"; import "@/lib/base/text/duration-text";',
  ],
  ["components/field.tsx", 'import "@/lib/base/typed/amount-text"; import "@/lib/base/typed/text-limits";'],
  ["components/table.tsx", 'import type { Noun } from "@/lib/console/views/noun";'],
  ["lib/access/any.test.ts", 'import "@/lib/gateway/noun"; import "@/lib/sandbox/noun"; import "fast-check";'],
  ["lib/server/build.mjs", 'import "fast-check";'],
  ["e2e/journey.spec.ts", 'import "@/lib/ledger/noun"; import "@/lib/client/noun";'],
];

const nouns = [
  ...[...floors.flat(), "client"].map((name) => `lib/${name}/noun.ts`),
  ...walletFloors.flat().map((name) => `lib/wallets/${name}/noun.ts`),
  "lib/db/generated/client.ts",
  "lib/db/pool.ts",
  "lib/db/testing/noun.ts",
  "lib/ledger/noun.test.ts",
  ...[
    "money",
    "typed/amount-text",
    "typed/text-limits",
    "tokens/token-estimate",
    "tokens/token-kinds",
    "when-left",
    "text/duration-text",
  ].map((name) => `lib/base/${name}.ts`),
  "lib/console/views/noun.ts",
  "bench/noun.ts",
  "app/noun.ts",
  "components/ui.tsx",
];

const root = mkdtempSync(join(tmpdir(), "staircase-"));
let result: ICruiseResult;

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

function writeTree(): void {
  for (const file of nouns) write(file, "export type Noun = string;\nexport const noun = 1;\n");
  for (const [, file, line] of broken) write(file, line);
  for (const [file, line] of allowed) write(file, line);
  write("lib/ledger/second.ts", 'import "./first";');
  for (const name of ["pg", "undici", "stray", "fast-check"]) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: "1.0.0", main: "index.js" }));
    write(`node_modules/${name}/index.js`, "");
  }
  write("tsconfig.json", JSON.stringify({ compilerOptions: { baseUrl: ".", paths: { "@/*": ["./*"] } } }));
  write("package.json", JSON.stringify({ dependencies: { pg: "1", undici: "1" }, devDependencies: { "fast-check": "1" } }));
}

beforeAll(async () => {
  writeTree();
  const tsConfig = { fileName: join(root, "tsconfig.json") };
  // The type of these options lacks `tsConfig`, which the alias "@/" needs.
  const resolution = { symlinks: true, tsConfig: tsConfig.fileName };
  const cruised = await cruise(
    ["lib", "app", "components", "e2e", "bench"],
    { ...configuration.options, tsConfig, baseDir: root, validate: true, ruleSet: { forbidden: configuration.forbidden ?? [] } },
    resolution,
    { tsConfig: extractTSConfig(tsConfig.fileName) },
  );
  if (typeof cruised.output === "string") throw new Error(cruised.output);
  result = cruised.output;
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

const firedAt = (file: string) =>
  result.summary.violations.filter((violation) => violation.from === file).map((violation) => violation.rule.name);

test.each(broken)("%s fires at %s", (rule, file) => {
  expect(firedAt(file)).toContain(rule);
});

test.each(allowed)("no rule fires at %s", (file) => {
  expect(firedAt(file)).toEqual([]);
});

test("every rule is broken once in this test, and names its cure", () => {
  const proved = new Set(broken.map(([rule]) => rule));
  expect((configuration.forbidden ?? []).map((rule) => rule.name).filter((name) => !proved.has(name ?? ""))).toEqual([]);
  expect((configuration.forbidden ?? []).filter((rule) => (rule.comment ?? "").length < 40)).toEqual([]);
});
