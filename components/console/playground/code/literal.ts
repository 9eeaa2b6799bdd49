// Values as literals of a language, and texts as arguments of a shell.

import { prettyJson } from "@/components/ui/text/pretty-json";

const INDENT = 2;

/** JSON means the same in TypeScript; nested by `depth` levels. */
export const typescriptLiteral = (value: unknown, depth = 0): string => indent(JSON.stringify(value, null, INDENT), INDENT * depth);

/** A JSON string or number means the same in Python; the names of three values differ. */
export const pythonLiteral = (value: unknown, depth = 0): string => indent(writePython(value, ""), 4 * depth);

const indent = (text: string, spaces: number): string => text.replaceAll("\n", `\n${" ".repeat(spaces)}`);

function writePython(value: unknown, margin: string): string {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = `${margin}    `;
  if (Array.isArray(value)) {
    return value.length === 0 ? "[]" : `[\n${value.map((item) => `${inner}${writePython(item, inner)},\n`).join("")}${margin}]`;
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  if (entries.length === 0) return "{}";
  return `{\n${entries.map(([name, item]) => `${inner}${JSON.stringify(name)}: ${writePython(item, inner)},\n`).join("")}${margin}}`;
}

/** The arguments of a call, one a line: `model="…",`. Names are identifiers. */
export const pythonArguments = (values: object): string =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `    ${name}=${writePython(value, "    ")},\n`)
    .join("");

/** For sh: inside single quotes only the single quote is special. */
const shellText = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** JSON as an argument of curl, a line for each member. */
export const shellJson = (json: string): string => shellText(indent(prettyJson(json), INDENT));
