// The content of schema.prisma as a set of plain sentences, the same ones that `databaseFacts` derives from a real database. Only the
// syntax that this project's schema uses is understood; anything else is refused, never ignored.

interface Attribute {
  name: string;
  /** The text between its brackets; empty without brackets. */
  text: string;
}

interface Field {
  name: string;
  column: string;
  type: string;
  optional: boolean;
  list: boolean;
  attributes: Attribute[];
}

interface Model {
  name: string;
  table: string;
  fields: Field[];
  attributes: Attribute[];
}

interface Schema {
  models: Model[];
  /** The database name, by the name in the schema. */
  enums: Map<string, { name: string; values: string[] }>;
}

/** PostgreSQL's type of a field without a `@db.` attribute. */
const plainTypes: Record<string, string> = {
  String: "text",
  Int: "integer",
  BigInt: "bigint",
  Boolean: "boolean",
  Float: "double precision",
  Decimal: "numeric(65,30)",
  DateTime: "timestamp(3) without time zone",
  Json: "jsonb",
  Bytes: "bytea",
};

/** PostgreSQL's type of a `@db.` attribute; `#` stands for its argument. */
const nativeTypes: Record<string, string> = {
  Text: "text",
  VarChar: "character varying#",
  Char: "character#",
  Uuid: "uuid",
  SmallInt: "smallint",
  Integer: "integer",
  BigInt: "bigint",
  Boolean: "boolean",
  Real: "real",
  DoublePrecision: "double precision",
  Decimal: "numeric#",
  Date: "date",
  Timestamp: "timestamp# without time zone",
  Timestamptz: "timestamp# with time zone",
  Json: "json",
  JsonB: "jsonb",
  ByteA: "bytea",
  Inet: "inet",
};

/** Values that Prisma generates itself: the column has no default. */
const madeByPrisma = /^(uuid|cuid|nanoid|ulid|auto)\(/;

/** @throws Error that names the syntax it does not understand */
export function schemaFacts(text: string): Set<string> {
  const schema = readSchema(text);
  const facts = [...schema.enums.values()].map(({ name, values }) => `enum ${name}: ${values.join(", ")}`);
  for (const model of schema.models) {
    facts.push(`table ${model.table}`);
    for (const field of model.fields) facts.push(...fieldFacts(schema, model, field));
    for (const attribute of model.attributes) facts.push(...modelAttributeFacts(model, attribute));
  }
  return new Set(facts);
}

function readSchema(text: string): Schema {
  const models: Model[] = [];
  const enums: Schema["enums"] = new Map();
  for (const [, kind, name = "", body = ""] of text.matchAll(/^(\w+)\s+(\w+)\s*\{\n([\s\S]*?)^\}/gm)) {
    const lines = body
      .split("\n")
      .map((line) => line.replace(/(^|\s)\/\/.*$/, "").trim())
      .filter(Boolean);
    const block = lines.filter((line) => line.startsWith("@@")).flatMap(readAttributes);
    const mapped = block.find((attribute) => attribute.name === "map");
    const own = { name, lines: lines.filter((line) => !line.startsWith("@@")), database: mapped ? unquote(mapped.text) : name };
    if (kind === "enum") enums.set(name, { name: own.database, values: own.lines.map(enumValue) });
    else if (kind === "model") models.push({ name, table: own.database, fields: own.lines.map(readField), attributes: block });
    else if (kind !== "datasource" && kind !== "generator") throw new Error(`schema.prisma: a ${kind} block is not understood`);
  }
  return { models, enums };
}

function enumValue(line: string): string {
  const mapped = readAttributes(line).find((attribute) => attribute.name === "map");
  return mapped ? unquote(mapped.text) : line.replace(/\s.*$/, "");
}

function readField(line: string): Field {
  const match = /^(\w+)\s+(Unsupported\("[^"]*"\)|\w+)(\[\])?(\?)?(?:\s|$)/.exec(line);
  if (!match) throw new Error(`schema.prisma: the line "${line}" is not understood`);
  const [head, name = "", type = "", list, optional] = match;
  const attributes = readAttributes(line.slice(head.length));
  const mapped = attributes.find((attribute) => attribute.name === "map");
  return {
    name,
    type,
    list: list !== undefined,
    optional: optional !== undefined,
    attributes,
    column: mapped ? unquote(mapped.text) : name,
  };
}

/** Attributes of a line; nested brackets and brackets in quotes belong to the text. */
function readAttributes(line: string): Attribute[] {
  return [...line.matchAll(/@@?([\w.]+)(?:\(((?:"(?:[^"\\]|\\.)*"|[^()"]|\((?:"(?:[^"\\]|\\.)*"|[^()"]|\([^()]*\))*\))*)\))?/g)].map(
    ([, name = "", text = ""]) => ({ name, text }),
  );
}

function fieldFacts(schema: Schema, model: Model, field: Field): string[] {
  const relation = field.attributes.find(({ name }) => name === "relation");
  const target = schema.models.find(({ name }) => name === field.type);
  if (target) return relation && argument(relation, "fields") !== undefined ? [foreignKeyFact(model, field, target, relation)] : [];
  const type = `${columnType(schema, field)}${field.list ? "[]" : ""}`;
  const initial = field.attributes.find(({ name }) => name === "default");
  const facts = [
    columnFact(model.table, field.column, {
      type,
      nullable: field.optional,
      hasDefault: initial !== undefined && !madeByPrisma.test(initial.text),
    }),
  ];
  if (has(field, "id")) facts.push(`${model.table}: primary key (${field.column})`);
  if (has(field, "unique")) facts.push(`${model.table}: unique (${field.column})`);
  return facts;
}

/** A list's nullability is left out: Prisma cannot express it. */
export function columnFact(table: string, column: string, is: { type: string; nullable: boolean; hasDefault: boolean }): string {
  const nullability = is.type.endsWith("[]") ? "" : is.nullable ? " null" : " not null";
  return `${table}.${column} ${is.type}${nullability}${is.hasDefault ? " default" : ""}`;
}

function columnType(schema: Schema, field: Field): string {
  const native = field.attributes.find(({ name }) => name.startsWith("db."));
  const form = native ? nativeTypes[native.name.slice(3)] : plainTypes[field.type];
  if (form !== undefined)
    return form.replace("#", native?.text ? `(${native.text.replace(/\s/g, "")})` : "").replace(/^(timestamp)\(6\)/, "$1");
  if (native) throw new Error(`schema.prisma: @${native.name} is not understood`);
  const unsupported = /^Unsupported\("(.*)"\)$/.exec(field.type)?.[1];
  const type = unsupported ?? schema.enums.get(field.type)?.name;
  if (type === undefined) throw new Error(`schema.prisma: the type ${field.type} is not understood`);
  return type;
}

function foreignKeyFact(model: Model, field: Field, target: Model, relation: Attribute): string {
  const columns = columnsOf(model, argument(relation, "fields") ?? "");
  const references = columnsOf(target, argument(relation, "references") ?? "");
  const onDelete = argument(relation, "onDelete") ?? (field.optional ? "SetNull" : "Restrict");
  const onUpdate = argument(relation, "onUpdate") ?? "Cascade";
  return `${model.table}: foreign key (${columns}) references ${target.table} (${references}) on delete ${action(onDelete)} on update ${action(onUpdate)}`;
}

function modelAttributeFacts(model: Model, attribute: Attribute): string[] {
  const kinds: Record<string, string> = { id: "primary key", unique: "unique", index: "index" };
  const kind = kinds[attribute.name];
  if (attribute.name === "map") return [];
  if (kind === undefined) throw new Error(`schema.prisma: @@${attribute.name} is not understood`);
  const method = argument(attribute, "type");
  return [
    `${model.table}: ${kind}${method ? ` using ${method.toLowerCase()}` : ""} (${columnsOf(model, argument(attribute, "fields") ?? attribute.text)})`,
  ];
}

/** The columns of `[one, two(sort: Desc)]`, by their names in the database. */
function columnsOf(model: Model, text: string): string {
  const list = /\[([^\]]*)\]/.exec(text)?.[1] ?? "";
  return [...list.matchAll(/(\w+)(?:\(([^)]*)\))?\s*(?:,|$)/g)]
    .map(([, name, options = ""]) => {
      const field = model.fields.find((candidate) => candidate.name === name);
      if (!field) throw new Error(`schema.prisma: ${model.name} has no field ${name}`);
      return `${field.column}${/sort:\s*Desc/.test(options) ? " desc" : ""}`;
    })
    .join(", ");
}

function argument(attribute: Attribute, name: string): string | undefined {
  return new RegExp(`(?:^|[,\\s])${name}:\\s*(\\[[^\\]]*\\]|"[^"]*"|\\w+)`).exec(attribute.text)?.[1];
}

const has = (field: Field, name: string) => field.attributes.some((attribute) => attribute.name === name);
const unquote = (text: string) => text.replace(/^"|"$/g, "");
const action = (name: string) => name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
