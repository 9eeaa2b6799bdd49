// Reads SQL just well enough to know which tables a statement touches and which functions it calls.

/** A function that a migration creates. */
export interface SqlFunction {
  name: string;
  body: string;
  /** Line of its CREATE in the migration, from 1. */
  line: number;
}

const create = /\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:FUNCTION|PROCEDURE)\s+"?(\w+)"?[\s\S]*?\bAS\s+(\$\w*\$)([\s\S]*?)\2/gi;

export function functionsOf(migration: string): SqlFunction[] {
  return [...migration.matchAll(create)].map((match) => ({
    name: match[1] ?? "",
    body: match[3] ?? "",
    line: migration.slice(0, match.index).split("\n").length,
  }));
}

/** Names of the tables that a migration creates. */
export const tablesOf = (migration: string): string[] =>
  [...withoutComments(migration).matchAll(/\bCREATE\s+(?:UNLOGGED\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?"?(\w+)"?/gi)].map(
    (match) => match[1] ?? "",
  );

const withoutComments = (sql: string) => sql.replace(/--[^\n]*/g, " ").replace(/\/\*[\s\S]*?\*\//g, " ");

/** Words and single signs, in lower case; a quoted string becomes the sign `'`. */
const tokens = (sql: string): string[] =>
  sql
    .replace(/'(?:[^']|'')*'/g, " ' ")
    .toLowerCase()
    .match(/\w+|[^\s\w"]/g) ?? [];

const isWord = (token: string | undefined): token is string => token !== undefined && /^[a-z_]\w*$/.test(token);
// Words that may follow a table's name where an alias could be.
const afterTable = new Set([
  "where",
  "set",
  "join",
  "left",
  "right",
  "inner",
  "full",
  "cross",
  "on",
  "using",
  "group",
  "order",
  "limit",
  "for",
  "returning",
  "values",
  "select",
  "union",
  "loop",
  "natural",
  "window",
  "having",
  "default",
  "overriding",
  "do",
]);

/** True when the word at `index` is followed by a table's name. */
function opensTable(words: readonly string[], index: number): boolean {
  const before = words[index - 1];
  switch (words[index]) {
    case "from":
      return before !== "distinct";
    case "into":
      // SELECT … INTO fills variables; only INSERT and MERGE INTO write a table.
      return before === "insert" || before === "merge";
    case "update":
      // FOR UPDATE, FOR NO KEY UPDATE and ON CONFLICT DO UPDATE name no table.
      return before !== "for" && before !== "key" && before !== "do";
    case "join":
    case "table":
    case "truncate":
    case "using":
    case "copy":
      return true;
    default:
      return false;
  }
}

/** The names among `tables` that `sql` reads, writes or locks, dynamic SQL in quoted texts included. */
export function touchedTables(sql: string, tables: ReadonlySet<string>): Set<string> {
  const plain = withoutComments(sql);
  const touched = new Set<string>();
  for (const [, quoted = ""] of plain.matchAll(/'((?:[^']|'')*)'/g)) {
    if (looksLikeSql(quoted)) for (const name of touchedTables(quoted.replaceAll("''", "'"), tables)) touched.add(name);
  }
  const words = tokens(plain);
  words.forEach((word, index) => {
    if (!opensTable(words, index)) return;
    for (const name of namesFrom(words, index + 1, word !== "into")) if (tables.has(name)) touched.add(name);
  });
  return touched;
}

/** The table names of a list `a x, b AS y, only c` that starts at `start`; functions and subqueries are skipped. */
function namesFrom(words: readonly string[], start: number, isList: boolean): string[] {
  const names: string[] = [];
  let index = start;
  for (;;) {
    while (["only", "lateral", "table", "if", "exists"].includes(words[index] ?? "")) index++;
    let name = words[index];
    if (!isWord(name)) return names;
    if (words[index + 1] === "." && isWord(words[index + 2])) {
      index += 2;
      name = words[index];
    }
    const isCall = isList && words[index + 1] === "(";
    if (name && !isCall) names.push(name);
    if (isCall || !isList) return names;
    index++;
    if (words[index] === "as") index++;
    if (isWord(words[index]) && !afterTable.has(words[index] ?? "")) index++;
    if (words[index] !== ",") return names;
    index++;
  }
}

/** The names among `functions` that `sql` calls. */
export function calledFunctions(sql: string, functions: ReadonlySet<string>): Set<string> {
  const words = tokens(withoutComments(sql));
  return new Set(words.filter((word, index) => words[index + 1] === "(" && functions.has(word)));
}

/** True for a text that is SQL or a part of it, and not a sentence that happens to say "from account". */
export const looksLikeSql = (text: string): boolean =>
  /\bselect\b[\s\S]*\bfrom\b|\binsert\s+into\b|\bupdate\s+\S+(\s+\w+)?\s+set\b|\bdelete\s+from\b|\btruncate\s|\block\s+table\b|\bmerge\s+into\b|\bselect\s+\w+\s*\(/i.test(
    text,
  ) || /\b(FROM|JOIN|INTO|UPDATE|TABLE|USING)\s+"?[a-z_]\w*/.test(text);
