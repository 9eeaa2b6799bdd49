// OPERATING.md, the operator's guide: each command of it works here, or refuses for what this machine lacks and never for how it is written;
// each statement fits the tables; and the settings, metrics, files and headings that it names are there.

import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { configVariables } from "@/lib/base/config";
import { metrics } from "@/lib/base/observe/metrics";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { main as audit } from "./audit/command";
import { main as catalogue } from "./catalogue";
import { main as checkLedger } from "./check-ledger";
import { main as custody } from "./custody";
import { main as uncredited } from "./list-uncredited";
import { main as settlement } from "./settlement";
import { main as signer } from "./signer/main";
import { runCommand } from "./testing/command";
import { main as withdrawals } from "./withdrawals";

const database = await openTestDatabase();
const guide = readFileSync("OPERATING.md", "utf8");
const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };

interface Program {
  main: () => Promise<void>;
  /** How it refuses for want of a seed, a chain, a row or a file: after it has accepted its arguments. */
  lacks?: RegExp;
}

/** The operator's commands, by what follows `npm run`. */
const programs: Readonly<Record<string, Program>> = {
  audit: { main: audit, lacks: /^The audit log is broken: / },
  catalogue: { main: catalogue, lacks: /^ENOENT/ },
  "check-ledger": { main: checkLedger },
  custody: { main: custody, lacks: /^CUSTODY_SEED_FILE is not set/ },
  settlement: { main: settlement, lacks: /^The sandbox in \S+ is not running/ },
  signer: { main: signer, lacks: /^\nSIGNER_SOCKET is not set/ },
  uncredited: { main: uncredited },
  withdrawals: { main: withdrawals, lacks: /^Withdrawal wd_\w+ not found/ },
};

/** Words of the guide that stand for a value, each with a value that a command takes. */
const placeholders: Readonly<Record<string, string>> = {
  "wd_…": `wd_${"0".repeat(20)}`,
  "acc_…": `acc_${"0".repeat(20)}`,
  "0x…": `0x${"0".repeat(130)}`,
  HEAD: `1:${"0".repeat(64)}`,
  FILE: "nowhere/prices.json",
};

interface Command {
  line: string;
  name: string;
  words: string[];
}

/** Each block of code: its language, why it is not run, and its lines; one that ends with a backslash goes on in the next. */
const blocks = [...guide.matchAll(/^```(\w*)([^\n]*)\n(.*?)^```$/gms)].map(([, language = "", info = "", text = ""]) => ({
  language,
  info: info.trim(),
  lines: text.replaceAll("\\\n", " ").split("\n").filter(Boolean),
}));
const shell = blocks.filter(({ language }) => language === "sh");
const prose = guide.replace(/^```.*?^```$/gms, "");

/** The command of this project that a line runs: of package.json, or as the package has it. */
function findCommand(line: string): Command | null {
  const [, scriptName, scriptWords, builtName, builtWords] =
    /npm run ([\w-]+)(?: -- (.+))?$/.exec(line) ?? /()()command\.mjs ([\w-]+) ?(.*)$/.exec(line) ?? [];
  const name = scriptName || builtName;
  const words = (scriptWords || builtWords || "").split(" ").filter(Boolean);
  return name ? { line, name, words } : null;
}

const inBlocks = shell.flatMap(({ lines }) => lines.map(findCommand));
/** In a sentence, a name without arguments is the program itself. */
const inProse = [...prose.matchAll(/`([^`\n]*npm run [^`\n]+)`/g)].map(([, line = ""]) => findCommand(line));
const commands = [...inBlocks, ...inProse.filter((one) => one?.words.length)].filter((one) => one !== null);
const tried = commands.filter(({ name }) => name in programs);

const different = new Map(tried.map((one) => [[one.name, ...one.words].join(" "), one]));

test.each([...different])("%s is accepted as it is written", async (_, { name, words: written }) => {
  const { main, lacks } = programs[name] ?? { main: async () => expect.unreachable() };
  const words = written.map((word) => placeholders[word] ?? word);
  const environment = { PATH: process.env.PATH, DATABASE_URL: database.url, DATA_DIR: "nowhere", LOG_LEVEL: "silent" };
  const { code, output } = await runCommand(main, words, { environment });
  if (!lacks) expect(words, "it takes no arguments").toEqual([]);
  if (lacks && code !== 0) expect(output).toMatch(lacks);
  else expect({ code, output }).toMatchObject({ code: 0 });
});

test("a block is run line by line, or says why not", () => {
  for (const { info } of shell.filter((block) => block.info !== "")) {
    expect(info).toMatch(/^not-run: /);
    expect(info.split(" ").length, info).toBeGreaterThan(2);
  }
  for (const line of shell.filter((block) => block.info === "").flatMap(({ lines }) => lines)) {
    expect(line, "begin its block with ```sh not-run: and the reason").toMatch(/^([A-Z_]+=\S+ )*npm run /);
    expect(Object.keys(programs)).toContain(findCommand(line)?.name);
  }
  // lib/providers/provider-entry.test.ts reads the JSON blocks.
  expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(["sh", "sql", "json"]));
});

test("the guide has every command of the operator, and no other", () => {
  const ours = Object.keys(scripts).filter((name) => scripts[name] === `node lib/server/command.mjs ${name}`);
  expect(ours.sort()).toEqual(Object.keys(programs).sort());
  expect([...new Set(tried.map(({ name }) => name))].sort()).toEqual(ours);
  for (const { name, line } of [...commands, ...inProse.filter((one) => one !== null)]) expect(scripts, line).toHaveProperty([name]);
});

const statements = blocks.filter(({ language }) => language === "sql").flatMap(({ lines }) => lines);

test.each(statements)("the database knows what this names: %s", async (line) => {
  expect(line).toMatch(/;$/);
  await database.pool.query(`EXPLAIN ${line}`);
});

test("settings, metrics, files and headings that it names are there", () => {
  const text = [prose, ...shell.flatMap(({ info, lines }) => [info, ...lines])].join("\n");
  for (const [name] of text.matchAll(/\b[A-Z][A-Z\d]*(?:_[A-Z\d]+)+\b/g)) expect(configVariables).toContain(name);
  for (const [name] of text.matchAll(/\bpennyprompt_\w+/g)) expect(metrics().registry.getSingleMetric(name), name).toBeDefined();
  for (const [path] of text.matchAll(/(?<!\/)\blib(?:\/[\w-]+)+(?:\.\w+)*/g)) expect(existsSync(path), path).toBe(true);
  for (const [, file = "", heading = ""] of prose.matchAll(/\]\(([\w./-]*)#([\w-]+)\)/g)) {
    const headings = [...readFileSync(file || "OPERATING.md", "utf8").matchAll(/^#+ (.+)$/gm)].map(([, words = ""]) => slugOf(words));
    expect(headings).toContain(heading);
  }
});

/** As GitHub makes it. */
const slugOf = (words: string): string =>
  words
    .toLowerCase()
    .replace(/[^\w -]/g, "")
    .replaceAll(" ", "-");
