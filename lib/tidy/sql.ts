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

const withoutComments = (sql: string) => sql.replace(/--[^\n]*/g, " ").replace(/\/\*[\s\S]*?\*\//g, " ");

/** In lower case, each gap one space, and a quoted string the sign `'`. */
const normalised = (sql: string): string =>
  withoutComments(sql)
    .replace(/'(?:[^']|'')*'/g, " ' ")
    .replaceAll('"', "")
    .replace(/\s+/g, " ")
    .toLowerCase();

const first = (sql: string, pattern: RegExp): string[] => [...sql.matchAll(pattern)].map((match) => match[1] ?? "");

/** Names of the tables that a migration creates. */
export const tablesOf = (migration: string): string[] =>
  first(normalised(migration), /\bcreate (?:unlogged )?table (?:if not exists )?(\w+)/g);

const before = "(?:(?:only|lateral|table) )*(?:\\w+\\.)?";
/** A table with its alias, and no call of a function. */
const item = `${before}\\w+\\b(?! ?\\()(?: (?:as )?\\w+)?`;
// SELECT … INTO fills variables; FOR UPDATE, FOR NO KEY UPDATE, ON CONFLICT DO UPDATE and IS DISTINCT FROM name no table.
const opening = "\\b(?:(?<!distinct )from|join|using|(?<!(?:for|key|do) )update|table|truncate|copy)";
const read = new RegExp(`${opening}(?= (${item}(?: ?, ?${item})*))`, "g");
const written = new RegExp(`\\b(?:insert|merge) into ${before}(\\w+)`, "g");

/** The names among `tables` that `sql` reads, writes or locks, dynamic SQL in quoted texts included. */
export function touchedTables(sql: string, tables: ReadonlySet<string>): Set<string> {
  const quoted = first(withoutComments(sql), /'((?:[^']|'')*)'/g).filter(looksLikeSql);
  const inQuotes = quoted.flatMap((text) => [...touchedTables(text.replaceAll("''", "'"), tables)]);
  const plain = normalised(sql);
  const lists = first(plain, read).flatMap((list) => list.split(","));
  const names = lists.map(
    (one) =>
      one
        .trim()
        .replace(new RegExp(`^${before}`), "")
        .split(" ")[0] ?? "",
  );
  return new Set([...inQuotes, ...names, ...first(plain, written)].filter((name) => tables.has(name)));
}

/** The names among `functions` that `sql` calls. */
export const calledFunctions = (sql: string, functions: ReadonlySet<string>): Set<string> =>
  new Set(first(normalised(sql), /\b(\w+) ?\(/g).filter((name) => functions.has(name)));

/** True for a text that is SQL or a part of it, and not a sentence that happens to say "from account". */
export const looksLikeSql = (text: string): boolean =>
  /\bselect\b[\s\S]*\bfrom\b|\binsert\s+into\b|\bupdate\s+\S+(\s+\w+)?\s+set\b|\bdelete\s+from\b|\btruncate\s|\block\s+table\b|\bmerge\s+into\b|\bselect\s+\w+\s*\(/i.test(
    text,
  ) || /\b(FROM|JOIN|INTO|UPDATE|TABLE|USING)\s+"?[a-z_]\w*/.test(text);
