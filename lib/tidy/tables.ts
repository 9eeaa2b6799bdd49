// Ownership: every table has one owning folder, and only that folder's SQL, in TypeScript or in a SQL function, may name it. All other
// folders call a function of the owner.

import ts from "typescript";
import floors from "./floors.json" with { type: "json" };
import { calledFunctions, functionsOf, looksLikeSql, tablesOf, touchedTables } from "./sql";
import { folderOfLib, isProductCode, type Problem, type Rule, type Tree } from "./tree";

/** The owner of each table; the only machine-readable list of them. */
const owners: Readonly<Record<string, readonly string[]>> = {
  db: ["setting", "process", "_prisma_migrations"],
  audit: ["audit_entry"],
  events: ["event", "event_count", "endpoint", "delivery", "confirmation"],
  access: ["account", "identity", "sign_in_nonce", "session", "sign_up", "api_key", "failed_request", "failed_request_count"],
  ledger: [
    ...["ledger_account", "transfer", "entry", "arrival", "hold", "expired_hold", "debt", "charge", "key_spend", "price_version"],
    ...["spend_sum", "spend_sum_mark", "model_use", "announced_model"],
  ],
  relay: ["relay_sender", "relayed", "relay_broadcast"],
  wallets: [
    ...["custody", "custodial_wallet", "address_pool", "deposit", "sweep", "withdrawal", "withdrawal_rules"],
    ...["reserve_report", "reserve_holding"],
    ...["chain_scan", "chain_scan_end", "foreign_token", "watch_lease", "solana_cursor", "solana_foreign_token"],
  ],
  payments: ["payment_claim", "payment_waste"],
  gateway: ["idempotent_reply"],
  console: [],
  sandbox: ["faucet_gift"],
};

const ownerOf = new Map(Object.entries(owners).flatMap(([owner, tables]) => tables.map((table) => [table, owner] as const)));
const allTables: ReadonlySet<string> = new Set(ownerOf.keys());

const schemaPath = "prisma/schema.prisma";
const sqlFiles = (tree: Tree) => [...tree].filter(([path]) => /^prisma\/(migrations|functions)\/.*\.sql$/.test(path));
const prefixOf = (functionName: string) => functionName.split("_")[0] ?? "";

/** Model names of schema.prisma, as spelled in the client, with their tables. */
const modelsOf = (schema: string): Map<string, string> =>
  new Map(
    [...schema.matchAll(/^model\s+(\w)(\w*)\s*\{([\s\S]*?)^\}/gm)].map(([, first = "", rest = "", body = ""]) => [
      first.toLowerCase() + rest,
      /@@map\("([^"]+)"\)/.exec(body)?.[1] ?? first + rest,
    ]),
  );

export const everyTableHasAnOwner: Rule = (tree) => {
  const schema = tree.get(schemaPath);
  if (schema === undefined) return [{ file: schemaPath, message: "is missing: it says which tables there are." }];
  const mapped = [...modelsOf(schema).values()].map((table) => ({ file: schemaPath, table }));
  const created = sqlFiles(tree).flatMap(([file, text]) => tablesOf(text).map((table) => ({ file, table })));
  return [...mapped, ...created]
    .filter(({ table }) => !ownerOf.has(table))
    .map(({ file, table }) => ({ file, message: `makes the table "${table}", which nobody owns: name its owner in lib/tidy/tables.ts.` }));
};

/** SQL in TypeScript, and calls of the Prisma client, name only their own folder's tables. */
export const ownTablesInCode: Rule = (tree) => {
  const models = modelsOf(tree.get(schemaPath) ?? "");
  const functions = new Set(sqlFiles(tree).flatMap(([, text]) => functionsOf(text).map((item) => item.name)));
  // Parsing takes the time: of a file without SQL and without queries nothing could be reported.
  const asking = [...tree].filter(([path, text]) => isProductCode(path) && (looksLikeSql(text) || queryCall.test(text)));
  return asking.flatMap(([path, text]) => {
    const folder = folderOfLib(path) ?? "";
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
    const problems: Problem[] = [];
    walk(source, (node) => {
      const sql = textOf(node);
      const isSql = sql !== null && looksLikeSql(sql);
      const touched = isSql ? [...touchedTables(sql, allTables)] : modelCalled(node, models, source);
      const calls = isSql ? [...calledFunctions(sql, functions)] : [];
      const line = touched.length + calls.length > 0 ? lineOf(source, node) : 0;
      for (const table of touched.filter((name) => ownerOf.get(name) !== folder))
        problems.push({ file: path, line, message: foreignTable(table) });
      for (const name of calls.filter((called) => !mayCall(folder, called)))
        problems.push({ file: path, line, message: higherFunction(name) });
    });
    return problems;
  });
};

/** SQL functions are named after their owner, touch only its tables, and call only functions of its own and lower floors. */
export const ownTablesInFunctions: Rule = (tree) => {
  const functions = sqlFiles(tree).flatMap(([file, text]) => functionsOf(text).map((item) => ({ file, ...item })));
  const names = new Set(functions.map((item) => item.name));
  return functions.flatMap(({ file, name, body, line }) => {
    const owner = prefixOf(name);
    if (!(owner in owners)) {
      return [
        { file, line, message: `${name} has no owner: begin its name with the folder that owns it (${Object.keys(owners).join("_, ")}_).` },
      ];
    }
    const foreign = [...touchedTables(body, allTables)].filter((table) => ownerOf.get(table) !== owner);
    const higher = [...calledFunctions(body, names)].filter((called) => !mayCall(owner, called));
    return [
      ...foreign.map((table) => ({ file, line, message: `${name}: ${foreignTable(table)}` })),
      ...higher.map((called) => ({ file, line, message: `${name}: ${higherFunction(called)}` })),
    ];
  });
};

/** Each SQL function is defined in one file of its owner: prisma/functions/<owner>/. */
export const functionsStandOnce: Rule = (tree) => {
  const functions = sqlFiles(tree).flatMap(([file, text]) => functionsOf(text).map((item) => ({ file, ...item })));
  const places = new Map<string, string>();
  return functions.flatMap(({ file, name, line }) => {
    const first = places.get(name);
    places.set(name, file);
    const home = `prisma/functions/${prefixOf(name)}/`;
    if (!file.startsWith(home))
      return [{ file, line, message: `creates ${name}: move it into a file of ${home}, where its owner's functions stand.` }];
    return first === undefined ? [] : [{ file, line, message: `creates ${name}, which stands in ${first} already: keep one of them.` }];
  });
};

const foreignTable = (table: string) =>
  `names the table "${table}" of lib/${ownerOf.get(table)}: call a function of that folder, or let a function named ${ownerOf.get(table)}_… do it.`;

const higherFunction = (name: string) =>
  `calls the SQL function ${name}, which is on a higher floor or beside this one: the upper floor calls the lower, so turn the call round.`;

const floorOf = (folder: string): number => floors.findIndex((names) => names.includes(folder));

/** A folder may call its own SQL functions and those of lower floors. */
function mayCall(folder: string, functionName: string): boolean {
  const owner = prefixOf(functionName);
  return owner === folder || floorOf(owner) < floorOf(folder);
}

/** Calls `visit` for every node of a file, outer ones first. */
function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** Line number of a node, from 1. */
const lineOf = (source: ts.SourceFile, node: ts.Node): number => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;

/** The text of a string or template; a placeholder replaces each substitution. */
function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map((span) => ` inserted_value ${span.literal.text}`).join("");
}

const queries = /^(find(Many|First|Unique)(OrThrow)?|(create|update)(Many(AndReturn)?)?|upsert|delete(Many)?|count|aggregate|groupBy)$/;
const queryCall = new RegExp(`\\.${queries.source.slice(1, -1)}\\(`);
const queryArguments = new Set(["where", "data", "select", "include", "orderBy", "take", "by", "_sum"]);

/** The table of `client.model.findMany({ where: … })`; a Map's own `delete` and the like take no such object. */
function modelCalled(node: ts.Node, models: ReadonlyMap<string, string>, source: ts.SourceFile): string[] {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression) || !queries.test(node.expression.name.text)) return [];
  const model = node.expression.expression;
  const table = ts.isPropertyAccessExpression(model) ? models.get(model.name.text) : undefined;
  if (table === undefined || !allTables.has(table)) return [];
  const [first] = node.arguments;
  const isQuery =
    node.expression.name.text.startsWith("find") ||
    (first !== undefined &&
      ts.isObjectLiteralExpression(first) &&
      first.properties.some((property) => queryArguments.has(property.name?.getText(source) ?? "")));
  return isQuery ? [table] : [];
}
