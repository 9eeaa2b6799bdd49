// Every tidy rule, proved to fire on what it forbids and to accept what it allows.

import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { toBase62 } from "@/lib/base/ids";
import { errorCodes, settings } from "./catalogue";
import { decisionProofs, type Files, type Proof } from "./decision-proofs";
import { rules } from "./rules";
import type { Rule, Tree } from "./tree";

const biome = (...limits: number[]): Files => ({ "biome.json": limits.map((lines) => `{ "maxLines": ${lines} }`).join() });
const inTests = (text: string): Files => ({ "lib/ledger/x.test.ts": text });
const code = (text: string): Files => ({ "lib/ledger/x.ts": `// What this file owns and promises.\n${text}` });
const later = "TO" + "DO";
// In two parts, since biome and the rules themselves read this file too.
const ignore = "biome-" + "ignore";
const key = `pp_${"a1B2".repeat(8)}`;
const workingKey = key + toBase62(crc32(key), 6);
const locked = (entry: object): Files => ({
  "package-lock.json": JSON.stringify({ packages: { "node_modules/a": { version: "1.0.0", ...entry } } }),
});
const schema = (name: string, table: string): Files => ({
  "prisma/schema.prisma": `model ${name} {\n  id String @id\n  @@map("${table}")\n}\n`,
});
const migration = (text: string): Files => ({ "prisma/migrations/1_x/migration.sql": text });
const functionFile = (text: string, path = "ledger/x.sql"): Files => ({ [`prisma/functions/${path}`]: text });
const sqlFunction = (name: string, body: string) =>
  `CREATE FUNCTION ${name}() RETURNS void LANGUAGE plpgsql AS $$\nBEGIN\n${body}\nEND $$;\n`;
const query = (sql: string): Files => code(`await pool.query(\`${sql}\`);`);

const files = (count: number): Files => Object.fromEntries(Array.from({ length: count }, (_, index) => [`lib/ledger/f${index}.ts`, ""]));
const inFolders = (count: number): Files =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`lib/ledger/a${index % 2}/f${index}.ts`, ""]));

const questions = (count: number, path: string, name: string): Files => ({
  "lib/README.md": `| Where is it? | \`${path}\` | \`${name}\` |\n`.repeat(count),
  "lib/base/x.ts": "f();",
});

const proofs: Record<string, Proof> = {
  ...decisionProofs,
  "a folder has at most 25 files side by side": { breaks: [files(26)], keeps: [files(25), inFolders(26)] },
  "a file has at most 300 lines, comments included": {
    breaks: [code("// x\n".repeat(300))],
    keeps: [code("// x\n".repeat(299)), inTests("f();\n".repeat(301)), { "lib/client/api-types.ts": "// x\n".repeat(301) }],
  },
  "Biome has the limits of limits.ts": {
    breaks: [{}, biome(60, 300), biome(61, 300, 100), biome(300, 60, 100)],
    keeps: [biome(60, 300, 100)],
  },
  "each file of lib/ opens with what it owns and promises": {
    breaks: [
      { "lib/ledger/x.ts": "import a from 'a';\n// Holds: money set aside." },
      { "lib/ledger/x.ts": "// holds\n" },
      { "lib/server/launch.mjs": "run();" },
    ],
    keeps: [
      code(""),
      inTests("f();"),
      { "lib/server/launch.mjs": "#!/usr/bin/env node\n// Starts the service from nothing.\n" },
      { "lib/ledger/x.ts": "/* Holds: money set aside. */" },
    ],
  },
  "nothing is left for later": { breaks: [code(`// ${later}: sum\n`), { "README.md": later }], keeps: [code("// the todo list\n")] },
  "no type is forced through unknown": {
    breaks: [code("const a = b as unknown as Hold;"), inTests("const a = b as any as Hold;")],
    keeps: [code("const a = b as unknown;"), code("// as unknown as Hold"), code("const a = b as Hold;")],
  },
  "no check without exceptions is silenced": {
    breaks: [
      code(`// @ts-${"ignore"}: quick`),
      code(`// ${ignore} lint/suspicious/noExplicitAny: quick`),
      code(`// ${ignore} lint/style/noNonNullAssertion: sure`),
    ],
    keeps: [code(`// ${ignore} lint/a11y/useButtonType: reason`)],
  },
  "our errors are known by their brand, not by instanceof": {
    breaks: [code("if (error instanceof AppError) f();"), inTests("if (error instanceof ProviderFailure) f();")],
    keeps: [code("if (error instanceof Error) f();"), code("if (isAppError(error)) f();")],
  },
  "no module holds state, except in a process singleton": {
    breaks: [
      code("let count = 0;"),
      code("export var count = 0;"),
      code("let [count, sum] = [0, 0];"),
      code("const seen = new Map<string, number>();"),
      code("const pool = new Pool();"),
      code("const seen = [];\nexport const see = (a) => seen.push(a);"),
      code("const seen = {} as Record<string, number>;\nexport const see = (a) => { seen[a] = 1; };"),
      code("const seen = new Set(['a']);\nexport const see = (a) => seen.add(a);"),
      code("class A { static count = 0; }"),
      { "components/price.tsx": "let count = 0;" },
    ],
    keeps: [
      code("const pool = () => processSingleton('pool', () => new Pool());"),
      code("const names = new Set(['a', 'b']);\nconst table = { a: 1 };\nconst list = ['a'];"),
      code("function f() { let a = 0; const seen = new Map(); seen.set(a, a++); }"),
      code("class A { static readonly count = 0; }"),
      code("declare const brand: unique symbol;"),
      code("const money = new Intl.NumberFormat();\nconst encoder = new TextEncoder();"),
      inTests("let count = 0;"),
    ],
  },
  "every table has an owner": {
    breaks: [{}, schema("Stray", "stray"), { ...schema("Hold", "hold"), ...migration("CREATE TABLE stray (id text);") }],
    keeps: [{ ...schema("ApiKey", "api_key"), ...migration("CREATE TABLE hold (id text); -- CREATE TABLE stray (") }],
  },
  "code names only tables of its own folder": {
    breaks: [
      query("SELECT * FROM api_key"),
      query("select h.id from hold h, account a"),
      query("SELECT 1 FROM hold h JOIN account AS a ON a.id = h.account_id"),
      query("INSERT INTO idempotent_reply (id) VALUES ($1)"),
      query("UPDATE account SET rate = $" + "{rate}"),
      query("DELETE FROM hold USING session s WHERE true"),
      query("SELECT id $" + "{columns} FROM ONLY public.setting"),
      code('const tail = "JOIN api_key k ON true";'),
      { ...schema("ApiKey", "api_key"), ...code("await prisma().apiKey.findUnique({ where: { id } });") },
      { ...schema("Account", "account"), ...code("await tx.account.update({ where: { id }, data: {} });") },
      { ...functionFile(sqlFunction("gateway_place_hold", "RETURN;"), "gateway/x.sql"), ...query("SELECT * FROM gateway_place_hold($1)") },
    ],
    keeps: [
      query("SELECT account, hold FROM hold WHERE account IS DISTINCT FROM session FOR UPDATE"),
      query("INSERT INTO charge (id) SELECT id FROM hold ON CONFLICT (id) DO UPDATE SET session = 1"),
      code('throw new Error("Choose a key from account settings");'),
      code("// SELECT * FROM api_key"),
      { ...schema("ApiKey", "api_key"), ...code("cache.apiKey.delete(id);") },
      { ...functionFile(sqlFunction("db_now", "RETURN;"), "db/x.sql"), ...query("SELECT db_now()") },
      inTests('await pool.query("SELECT * FROM api_key");'),
      { "lib/access/keys.ts": 'await pool.query("SELECT * FROM api_key");' },
    ],
  },
  "SQL functions touch only tables of their owner": {
    breaks: [
      functionFile(sqlFunction("place_hold", "UPDATE hold SET id = 1;")),
      functionFile(sqlFunction("ledger_place_hold", "PERFORM 1 FROM api_key;")),
      functionFile(sqlFunction("gateway_claim", "INSERT INTO hold (id) VALUES (1);")),
      functionFile(sqlFunction("access_see", "EXECUTE 'SELECT 1 FROM hold';")),
      functionFile(sqlFunction("gateway_a", "RETURN;") + sqlFunction("ledger_b", "PERFORM gateway_a();")),
      functionFile(sqlFunction("access_a", "RETURN;") + sqlFunction("ledger_b", "SELECT * FROM access_a();")),
    ],
    keeps: [
      functionFile(sqlFunction("ledger_a", "SELECT 1 INTO account FROM hold h; -- FROM api_key\nPERFORM 1 FROM entry FOR UPDATE;")),
      functionFile(
        sqlFunction("ledger_a", "RETURN;") + sqlFunction("gateway_b", "SELECT * FROM ledger_a() account; DELETE FROM idempotent_reply;"),
      ),
      functionFile(
        "CREATE FUNCTION ledger_a(account text) RETURNS void LANGUAGE sql AS $$ INSERT INTO ledger_account (id) VALUES (account) $$;",
      ),
      migration("CREATE TABLE api_key (id text REFERENCES account);"),
    ],
  },
  "each SQL function stands once, with its owner": {
    breaks: [
      migration(sqlFunction("ledger_a", "RETURN;")),
      functionFile(sqlFunction("gateway_a", "RETURN;")),
      functionFile(sqlFunction("ledger_a", "RETURN;") + sqlFunction("ledger_a", "RETURN;")),
    ],
    keeps: [functionFile(sqlFunction("ledger_a", "RETURN;") + sqlFunction("ledger_b", "RETURN;"))],
  },
  "lib/README.md answers where things are, and the answers hold": {
    breaks: [questions(10, "lib/base/gone.ts", "f"), questions(10, "lib/base/x.ts", "g"), questions(9, "lib/base/x.ts", "f")],
    keeps: [questions(10, "lib/base/x.ts", "f")],
  },
  "the map, the threats and the decisions name files that are there": {
    breaks: [
      { "lib/README.md": "See `base/gone.ts`." },
      { "lib/README.md": "See `prisma/functions/ledger/gone.sql`." },
      { "SECURITY.md": "| a thief | a guard | `lib/base/gone.test.ts` |" },
      { "lib/decisions/0049-asvs.md": "| 8.2.1 | `app/(console)/gone.test.ts` |" },
    ],
    keeps: [{ "lib/README.md": "See `base/x.ts` and `lib/base/x.ts`.", "lib/base/x.ts": "" }],
  },
  "lib/README.md lists the folders that are there": {
    breaks: [
      code(""),
      { ...code(""), "lib/README.md": "- `base/`: the ground of all.\n" },
      { ...code(""), "lib/README.md": "- `ledger/`: the only writer of money.\n- `base/`: the ground of all.\n" },
      { ...code(""), "lib/README.md": "- `ledger/`: money\n" },
    ],
    keeps: [
      { ...code(""), "lib/README.md": "# Map\n\n- `ledger/`: the only writer of money.\n" },
      { ...code(""), "lib/README.md": "| `ledger/` | the only writer of money |\n" },
      { ...code(""), "lib/README.md": "| 3 | `ledger/` | the only writer of money |\nSee `ledger/holds.ts`, and `ledger/`.\n" },
    ],
  },
  "every regular expression takes linear time": {
    breaks: [
      // Tried from each "ab" to the end, as a regex was on user agents.
      code("const isSafari = (agent: string) => /ab.*c/.test(agent);"),
      code("const trimmed = text.replace(/\\s+$/, '');"),
      code("if (isOpen) /(a+)+b/.test(text);"),
      code('const form = new RegExp("^(a|a)*$", "i");'),
      code("const form = RegExp(pattern);"),
      code("const form = new RegExp(`^$" + "{prefix}a$`);"),
      { "components/x.tsx": "const X = () => <p>{text.replace(/,*$/, '')}</p>;" },
      { "lib/server/launch.mjs": "const isOpen = /a*a*b/.test(text);" },
    ],
    keeps: [
      code("const trimmed = text.replace(/(?<!\\s)\\s+$/, '');"),
      code("const half = (width) / 2, path = `/a+/a+$/`; // /(a+)+b/"),
      code("const hex = new RegExp(`^[0-9a-f]{$" + "{2 * bytes}}$`);"),
      code('const form = new RegExp("^a*$");'),
      inTests("const trimmed = text.replace(/\\s+$/, '');"),
    ],
  },
  "no file names a registry or a path of one machine": {
    breaks: [
      { ".npmrc": `registry=https://registry.${"npmjs"}.org/` },
      { "README.md": `see ${"/wo"}rk/main` },
      code(`const a = "${"/ro"}ot/.cache";`),
      { "a.md": `http://localhost:${"48"}73` },
    ],
    keeps: [{ "README.md": "the frame/work/flow and 127.0.0.1:3000" }, code('const path = "/api/v1/workers";')],
  },
  "the lockfile names no host": {
    breaks: [{}, locked({ resolved: "https://host/a.tgz" }), locked({ version: "git+ssh://git@host/a.git" })],
    keeps: [locked({ funding: { url: "https://host" }, integrity: "sha512-a" }), locked({ link: true, resolved: "stubs/a" })],
  },
  "the lockfile is whole for every system": {
    breaks: [{}, locked({ optionalDependencies: { "a-darwin-arm64": "1.0.0" } })],
    keeps: [locked({ optionalDependencies: { a: "1.0.0" } }), locked({ dependencies: { b: "1.0.0" } })],
  },
  "every error code is thrown and tested": {
    breaks: [code('throw new AppError("NOT_FOUND");'), inTests("NOT_FOUND"), { ...code('f("NOT_FOUND")'), ...inTests("NOT_FOUND") }],
    keeps: [{ ...code('throw new AppError(a ? "NOT_FOUND" : b);'), ...inTests('expect(code).toBe("NOT_FOUND")') }],
  },
  "every setting is documented in .env.example": {
    breaks: [{}, { ".env.example": "# nothing\n" }, { ".env.example": "# PORT=3000\nSTRAY=1\n" }],
    keeps: [{ ".env.example": "# Where it listens.\n# PORT=3000\n" }, { ".env.example": "PORT=3000\n" }],
  },
  "no file holds a secret": {
    breaks: [
      { "README.md": `curl -H "Bearer ${workingKey}"` },
      code(`-----BEGIN ${"RSA"} PRIVATE KEY-----`),
      code(`const privateKey = "0x${"ab".repeat(32)}";`),
      code(`"sk-ant-${"q7Zr".repeat(10)}"`),
    ],
    keeps: [
      { "README.md": `Bearer ${key}000000 and pp_…` },
      code(`const hash = "${"ab".repeat(32)}";`),
      code(`"sk-ant-${"abcdef".repeat(8)}"`),
    ],
  },
};

const treeOf = (files: Files): Tree => new Map(Object.entries(files));
const factories: Record<string, Rule> = {
  "every error code is thrown and tested": errorCodes(["NOT_FOUND"]),
  "every setting is documented in .env.example": settings(["PORT"]),
};

const cases = rules.map(([promise, rule]) => [promise, factories[promise] ?? rule, proofs[promise]] as const);

test.each(cases)("%s: fires on violations only", (_promise, rule, proof) => {
  for (const files of proof?.breaks ?? []) expect(rule(treeOf(files)), JSON.stringify(files).slice(0, 400)).not.toEqual([]);
  for (const files of proof?.keeps ?? []) expect(rule(treeOf(files)), JSON.stringify(files).slice(0, 400)).toEqual([]);
});

test("every rule is proved, and every message names a cure", () => {
  expect(cases.filter(([, , proof]) => !proof || proof.breaks.length === 0 || proof.keeps.length === 0)).toEqual([]);
  const problems = cases.flatMap(([, rule, proof]) => (proof?.breaks ?? []).flatMap((files) => rule(treeOf(files))));
  // A message states the problem, a colon or full stop, and then what to do.
  expect(problems.filter(({ message }) => !/[:.] \w+ .*\w/.test(message))).toEqual([]);
});
