// What a caller sent wrong, said so that it can be mended: one issue per field, with the nearest known name for a misspelt one.

import type { z } from "zod";
import { AppError } from "@/lib/base/errors";
import type { GatewayRequest } from "./request";
import { MAX_BODY_BYTES } from "./request";

export interface Issue {
  path: string;
  message: string;
}

const MAX_ISSUES = 20;

/** The error for a request that cannot be read; its message is the first issue. */
export function invalidRequest(issues: readonly Issue[], reason?: string): AppError {
  const [first] = issues;
  const message = first ? (first.path ? `${first.path}: ${first.message}` : first.message) : undefined;
  const shown = issues.slice(0, MAX_ISSUES).map(({ path, message: text }) => ({ path, message: text }));
  return new AppError("INVALID_REQUEST", { message, details: { issues: shown, reason } });
}

/**
 * Parses what a caller sent, for `readIssues`. Only what is refused is parsed again with its input in the findings, by which a missing
 * field is told from one of a wrong type: to ask for it costs more than the rest of a short body.
 */
export function parseGiven<Schema extends z.ZodType>(schema: Schema, given: unknown): z.ZodSafeParseResult<z.output<Schema>> {
  const parsed = hasManyNames(given) ? null : schema.safeParse(given);
  return parsed?.success ? parsed : schema.safeParse(given, { reportInput: true });
}

/** No request has so many fields. It will be refused, and a megabyte of them is not to be read twice for that. */
const hasManyNames = (given: unknown): boolean => typeof given === "object" && given !== null && Object.keys(given).length > 100;

/** Zod's findings of `parseGiven` as issues, one for each field; `knownFields` are what an unknown one may have been meant to be. */
export function readIssues(error: z.ZodError, knownFields: readonly string[]): Issue[] {
  const issues = new Map<string, Issue>();
  for (const found of error.issues) {
    for (const issue of readIssue(found, knownFields)) {
      // A value of a wrong type may fail further checks, which say nothing more.
      if (!issues.has(issue.path)) issues.set(issue.path, issue);
    }
  }
  return [...issues.values()];
}

function readIssue(issue: z.core.$ZodIssue, knownFields: readonly string[]): Issue[] {
  const path = issue.path.join(".");
  // A body can hold a hundred thousand of them, and each is compared with every known name.
  if (issue.code === "unrecognized_keys") return issue.keys.slice(0, MAX_ISSUES).map((key) => unknownField(key, path, knownFields));
  if (issue.code === "invalid_type") {
    const kind = kindText[issue.expected] ?? `a ${issue.expected}`;
    return [
      { path, message: path === "" ? `The body must be ${kind}` : `${issue.input === undefined ? "is required and " : ""}must be ${kind}` },
    ];
  }
  return [{ path, message: issue.message }];
}

const kindText: Record<string, string> = { int: "a whole number", object: "a JSON object", array: "an array" };

function unknownField(key: string, parent: string, knownFields: readonly string[]): Issue {
  const shown = key.slice(0, 64);
  const nearest = nearestName(shown, knownFields);
  const hint = nearest ? `; did you mean ${nearest}?` : `; known fields are ${knownFields.join(", ")}`;
  return { path: parent ? `${parent}.${shown}` : shown, message: `is not a field of this request${hint}` };
}

/** The known name that differs least, when it differs little: `max_tokens` finds `maxTokens`. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(plain(name), plain(candidate));
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}

const bodyProblems: Record<NonNullable<GatewayRequest["bodyProblem"]>, string> = {
  too_large: `The body is larger than ${MAX_BODY_BYTES} bytes (1 MiB), the most that is accepted`,
  not_utf8: "The body is not valid UTF-8",
  cut_off: "The body ended before its announced length",
};

/**
 * The request's body as parsed JSON.
 * @throws AppError INVALID_REQUEST
 */
export function readJsonBody(request: GatewayRequest): unknown {
  if (request.bodyProblem) throw invalidRequest([{ path: "", message: bodyProblems[request.bodyProblem] }], request.bodyProblem);
  const type = request.headers["content-type"];
  if (!type || !/^application\/json\s*(;|$)/i.test(type)) {
    throw invalidRequest(
      [{ path: "", message: `Send the header Content-Type: application/json${type ? `, not ${type.slice(0, 80)}` : ""}` }],
      "content_type",
    );
  }
  if (request.bodyText === "") throw invalidRequest([{ path: "", message: "The body is empty; send a JSON object" }]);
  try {
    return JSON.parse(request.bodyText);
  } catch (error) {
    // V8 quotes the text around the fault; a position is enough, and keeps prompts out of logs.
    const position = /position (\d+)/.exec(String(error))?.[1];
    throw invalidRequest([{ path: "", message: `The body is not valid JSON${position ? ` (at character ${position})` : ""}` }], "bad_json");
  }
}
