// Requests and replies of the gateway, for both HTTP servers: nothing here knows Next or Node's http. A request that cannot be read is
// refused with what to fix: one issue per field, with the nearest known name for a misspelt one.

import { isUtf8 } from "node:buffer";
import type { z } from "zod";
import { nowMs } from "@/lib/base/clock";
import { AppError } from "@/lib/base/errors";
import { newRequestId, type RequestId } from "@/lib/base/ids";
import type { LargeText } from "@/lib/base/large-text";
import { log } from "@/lib/base/observe/log";
import { runInSlices } from "@/lib/base/slices";
import type { BodyBounds, OpenSpace } from "./body-room";
import { MAX_BODY_BYTES, MAX_LARGE_BODY_BYTES } from "./body-sizes";
import { badJson, type LongJson, readLongJson } from "./large-json";
import { nearestName } from "./nearest-name";

/** A request as an HTTP server passes it in. */
export interface IncomingRequest {
  method: string;
  /** Path without query, as sent. */
  path: string;
  /** Query string without the question mark. */
  query: string;
  /** Lower-case names; a repeated header's values joined by a comma. */
  headers: Readonly<Record<string, string | undefined>>;
  /**
   * Reads the body, up to `limitBytes`, once: no promise when it has arrived already. A body that is never asked for is the HTTP
   * server's to discard. Rejects with what `bounds.openSpace` throws.
   */
  readBody: (limitBytes: number, bounds: BodyBounds) => ReadBody | Promise<ReadBody>;
  /** Address of the direct peer. */
  remoteAddress: string;
  /** Aborts when the client is gone. */
  signal: AbortSignal;
}

/** A body as far as it could be read. */
export interface ReadBody {
  /** Empty for a large body and for one with a problem. */
  text: string;
  /** The bytes of a body above MAX_BODY_BYTES, in valid UTF-8. */
  large?: Buffer;
  problem?: "too_large" | "not_utf8" | "content_encoding" | "cut_off" | "busy";
}

/** A small body as text. */
export const readText = (bytes: Buffer): ReadBody => (isUtf8(bytes) ? { text: bytes.toString("utf8") } : { text: "", problem: "not_utf8" });

/** A request in progress: with its id and the steps to undo when it ends. */
export interface GatewayRequest extends Omit<IncomingRequest, "readBody"> {
  readonly id: RequestId;
  /**
   * Reads the body: called once, when the caller is known. The fields below are empty until then. One above MAX_BODY_BYTES is read where
   * `openSpace` is given.
   * @throws AppError SERVICE_BUSY when there is no room for a large one, and what `openSpace` throws
   */
  loadBody(openSpace?: OpenSpace): void | Promise<void>;
  bodyText: string;
  /** The bytes of a body above MAX_BODY_BYTES; `bodyText` is empty then. */
  largeBody: Buffer | undefined;
  /** The JSON of a long body, read in slices as soon as the body is there, until `readJsonBody` takes it; undefined for a short one. */
  longJson: LongJson | undefined;
  /** Base64 of images in a large body, by its reference in the parsed JSON. */
  largeTexts: ReadonlyMap<string, LargeText> | undefined;
  /** Set when the body could not be read; it is empty then. */
  bodyProblem: Exclude<ReadBody["problem"], "busy">;
  /** Unix milliseconds and monotonic milliseconds of its arrival. */
  arrivedAtMs: number;
  startedAt: number;
  /** Headers that every answer to this request carries, errors included. */
  replyHeaders: Record<string, string>;
  /** Fields of its log line at its end, besides status and duration. */
  facts: Record<string, unknown>;
  /** Milliseconds that the provider took, not us. */
  providerMs: number | undefined;
  /** Runs `undo` when the request has ended, which for a stream is the end of the stream; last in, first out. */
  onEnd(undo: () => void | Promise<void>): void;
  /** Ends the request: runs the stack once. A promise only when something in it takes time; a repeated call returns the same one. */
  end(): void | Promise<void>;
}

export interface GatewayReply {
  status: number;
  headers: Record<string, string>;
  /** The whole body, or chunks of a stream. A reader that stops a stream early calls `return`. */
  body: string | AsyncIterable<string>;
  /** Ends the request. The HTTP server calls it when the reply is written or its client is gone; a second call does nothing. */
  end: GatewayRequest["end"];
}

const BYTE_ORDER_MARK = Buffer.from("\ufeff");

/** JSON of this length takes a few milliseconds at most, whatever stands in it; longer JSON is read in slices. */
const MAX_CHARACTERS_AT_ONCE = 65_536;

/** Opens an incoming request and gives it an id. */
export const openRequest = (incoming: IncomingRequest): GatewayRequest => new OpenRequest(incoming);

type Undo = () => void | Promise<void>;

/** A class, for its getter: a literal's getter is allocated per object, in old space, and keeps the whole request alive as long. */
class OpenRequest implements GatewayRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingRequest["headers"];
  bodyText = "";
  largeBody: Buffer | undefined = undefined;
  longJson: GatewayRequest["longJson"] = undefined;
  largeTexts: GatewayRequest["largeTexts"] = undefined;
  bodyProblem: GatewayRequest["bodyProblem"] = undefined;
  readonly remoteAddress: string;
  readonly id = newRequestId();
  readonly arrivedAtMs = nowMs();
  readonly startedAt = performance.now();
  readonly replyHeaders: Record<string, string> = {};
  readonly facts: Record<string, unknown> = {};
  providerMs: number | undefined = undefined;
  readonly #incoming: IncomingRequest;
  readonly #undos: Undo[] = [];
  #ending: Promise<void> | undefined;

  // Bound, since they are passed on alone, as part of a reply.
  readonly onEnd = (undo: Undo): void => {
    this.#undos.push(undo);
  };
  readonly end = (): void | Promise<void> => {
    this.#ending ??= runAll(this.#undos) || undefined;
    return this.#ending;
  };

  constructor(incoming: IncomingRequest) {
    this.method = incoming.method;
    this.path = incoming.path;
    this.query = incoming.query;
    this.headers = incoming.headers;
    this.remoteAddress = incoming.remoteAddress;
    this.#incoming = incoming;
  }

  openSpace: OpenSpace | undefined = undefined;

  loadBody(openSpace?: OpenSpace): void | Promise<void> {
    this.openSpace = openSpace;
    const read = this.#incoming.readBody(openSpace ? MAX_LARGE_BODY_BYTES : MAX_BODY_BYTES, this);
    return read instanceof Promise ? read.then((body) => this.#takeBody(body)) : this.#takeBody(read);
  }

  #takeBody({ text, large, problem }: ReadBody): void | Promise<void> {
    if (problem === "busy") throw new AppError("SERVICE_BUSY", { headers: { "retry-after": "5" } });
    // Some clients begin UTF-8 with a byte-order mark, which is no part of the JSON (RFC 8259, 8.1).
    this.bodyText = text.startsWith("\ufeff") ? text.slice(1) : text;
    this.largeBody = large?.subarray(0, 3).equals(BYTE_ORDER_MARK) ? large.subarray(3) : large;
    this.bodyProblem = problem;
    if (!large && text.length <= MAX_CHARACTERS_AT_ONCE) return;
    const json = runInSlices(readLongJson(this.largeBody ?? this.bodyText));
    if (json instanceof Promise) return json.then((read) => this.#takeJson(read));
    this.#takeJson(json);
  }

  #takeJson(json: LongJson): void {
    this.longJson = json;
  }

  // An HTTP server creates its signal only on access; only streams access it.
  get signal(): AbortSignal {
    return this.#incoming.signal;
  }
}

/** Awaits only the steps that are asynchronous: most requests have none. */
function runAll(undos: Undo[]): void | Promise<void> {
  for (let undo = undos.pop(); undo; undo = undos.pop()) {
    try {
      const undoing = undo();
      if (undoing) return undoing.catch(recordFailedUndo).then(() => runAll(undos));
    } catch (error) {
      recordFailedUndo(error);
    }
  }
}

/** The other steps must still run: a slot that is not returned is lost to its account. */
function recordFailedUndo(error: unknown): void {
  log().error({ err: error }, "ending a request failed");
}

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

/** Parses a caller's input, for `readIssues`. Input that may be long is parsed by few-faults.ts. */
export function parseGiven<Schema extends z.ZodType>(schema: Schema, given: unknown): z.ZodSafeParseResult<z.output<Schema>> {
  const parsed = schema.safeParse(given);
  return parsed.success ? parsed : reportFaults(schema, given);
}

/**
 * Parses refused input again, with `reportInput`, which distinguishes a missing field from one of a wrong type: requesting it at once costs
 * more than the rest of a short body.
 */
export const reportFaults = <Schema extends z.ZodType>(schema: Schema, refused: unknown): z.ZodSafeParseResult<z.output<Schema>> =>
  schema.safeParse(refused, { reportInput: true });

/** Zod's findings from `parseGiven` as issues, one for each field; `knownFields` are suggested in place of an unknown one. */
export function readIssues(error: z.ZodError, knownFields: readonly string[]): Issue[] {
  const issues = new Map<string, Issue>();
  for (const found of error.issues) {
    for (const issue of readIssue(found, knownFields)) {
      // A value of a wrong type may fail further checks, which add nothing.
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

const bodyProblems: Record<NonNullable<GatewayRequest["bodyProblem"]>, string> = {
  too_large: "The body is larger than the maximum: 32 MiB where images are accepted, 1 MiB elsewhere",
  not_utf8: "The body is not valid UTF-8",
  content_encoding: "The body does not match its Content-Encoding",
  cut_off: "The body is shorter than its Content-Length",
};

/**
 * JSON under another name, too: with a suffix (RFC 6839), and as plain text, which many HTTP libraries write unasked. Neither lets a page of
 * another site do more: a key is sent in a header, which its browser asks for first.
 */
const JSON_TYPE = /^(?:application\/(?:[\w.!#$&^-]+\+)?json|text\/(?:json|plain))\s*(?:;|$)/i;

/**
 * The request's body as parsed JSON. A long one is handed over: its unused parts must not stay as long as an answer takes.
 * @throws AppError INVALID_REQUEST
 */
export function readJsonBody(request: GatewayRequest): unknown {
  if (request.bodyProblem) throw invalidRequest([{ path: "", message: bodyProblems[request.bodyProblem] }], request.bodyProblem);
  const type = request.headers["content-type"];
  if (type && !JSON_TYPE.test(type)) {
    throw invalidRequest(
      [{ path: "", message: `Send the header Content-Type: application/json, not ${type.slice(0, 80)}` }],
      "content_type",
    );
  }
  const { longJson } = request;
  if (longJson) {
    request.longJson = undefined;
    if ("problem" in longJson) throw invalidRequest([{ path: "", message: longJson.message }], longJson.problem);
    request.largeTexts = longJson.texts;
    return longJson.value;
  }
  if (request.bodyText === "") throw invalidRequest([{ path: "", message: "The body is empty. Send a JSON object" }]);
  try {
    return JSON.parse(request.bodyText);
  } catch (error) {
    // V8 quotes the text around the fault; the position alone is enough, and keeps prompts out of logs.
    const { problem, message } = badJson(/position (\d+)/.exec(String(error))?.[1]);
    throw invalidRequest([{ path: "", message }], problem);
  }
}
