// The first issue of a request body, in a neutral form that each vendor turns into its own error message.

import type { z } from "zod/mini";

type Path = readonly PropertyKey[];

export interface SchemaIssue {
  path: Path;
  kind: "missing" | "wrong_type" | "unknown_field" | "bad_value";
  /** What the schema expects, in its terms: `string`, `int`, `array`, or the broken rule for an invalid value. */
  expected: string;
  received: unknown;
}

/** The first issue of `error`; in a failed union, the issue deepest in the value. */
export function firstIssue(error: z.core.$ZodError, body: unknown): SchemaIssue {
  const issue = error.issues[0];
  if (issue === undefined) return { path: [], kind: "wrong_type", expected: "object", received: body };
  return toIssue(issue, [], body);
}

function toIssue(issue: z.core.$ZodIssue, prefix: Path, body: unknown): SchemaIssue {
  const path = [...prefix, ...issue.path];
  const received = valueAt(body, path);
  switch (issue.code) {
    case "invalid_type":
      return { path, kind: received === undefined ? "missing" : "wrong_type", expected: issue.expected, received };
    case "unrecognized_keys": {
      const key = issue.keys[0] ?? "";
      return { path: [...path, key], kind: "unknown_field", expected: "", received: valueAt(body, [...path, key]) };
    }
    case "invalid_union":
      return toUnionIssue(issue, path, body);
    case "too_small":
      return { path, kind: "bad_value", expected: `at least ${issue.minimum}`, received };
    case "too_big":
      return { path, kind: "bad_value", expected: `at most ${issue.maximum}`, received };
    case "invalid_format":
      return {
        path,
        kind: "bad_value",
        expected: `a string that matches the pattern '${issue.pattern?.slice(1, -1) ?? issue.format}'`,
        received,
      };
    case "invalid_value":
      return {
        path,
        kind: received === undefined ? "missing" : "bad_value",
        expected: `one of ${issue.values.map((value) => `'${String(value)}'`).join(", ")}`,
        received,
      };
    default:
      return { path, kind: "bad_value", expected: issue.code, received };
  }
}

function toUnionIssue(issue: z.core.$ZodIssueInvalidUnion, path: Path, body: unknown): SchemaIssue {
  const received = valueAt(body, path);
  // No branches: the discriminator has an unknown value.
  if (issue.errors.length === 0)
    return { path, kind: received === undefined ? "missing" : "bad_value", expected: "a known value", received };
  const branches = issue.errors.flatMap((branch) => (branch[0] === undefined ? [] : [toIssue(branch[0], path, body)]));
  const deepest = branches.reduce((best, branch) => (branch.path.length > best.length ? branch.path : best), path);
  const deep = branches.find((branch) => branch.path === deepest);
  if (deep !== undefined) return deep;
  const expected = [...new Set(branches.map((branch) => branch.expected))].join(" or ");
  return { path, kind: received === undefined ? "missing" : "wrong_type", expected, received };
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined), value);
}

/** `messages[0].content`, as OpenAI and Google write a path. */
export function bracketPath(path: Path): string {
  return path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`),
    "",
  );
}

/** `messages.0.content`, as Anthropic writes a path. */
export const dotPath = (path: Path): string => path.map(String).join(".");

/** The JSON type of the value: `integer`, `array`, `null`. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "decimal";
  return typeof value;
}
