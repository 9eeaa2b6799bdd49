// Requests generated from the OpenAPI document for the fuzz test: valid ones, and ones with one or two mistakes in their method, target,
// headers or body.

import fc from "fast-check";
import type { JsonSchema, OpenApiDocument, Operation, Parameter } from "../../openapi/types";
import { valuesOf } from "./schema-values";

export interface OddRequest {
  /** The operation that is called; null when its path does not accept the method. */
  operationId: string | null;
  method: string;
  /** Path and query. */
  target: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
}

/** Values that a valid request needs and the document cannot know. */
interface Known {
  key: string;
  models: readonly string[];
  requestId: string;
}

const { constant, constantFrom } = fc;

/** `usual` nine times out of ten. */
const mostly = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: odd });

/** Any request from the document. */
export function requestsOf(document: OpenApiDocument, known: Known): fc.Arbitrary<OddRequest> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  // Operations with a body can go wrong in more ways.
  const weighed = operations.map((one) => ({ weight: one.operation.requestBody ? 4 : 1, arbitrary: constant(one) }));
  return fc.oneof(...weighed).chain(({ path, method, operation }) => {
    const schema = operation.requestBody?.content["application/json"].schema;
    return fc
      .record({
        method: mostly(constant(method), constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD")),
        path: constant(path).chain((template) => pathOf(template, known)),
        query: queryOf(operation.parameters ?? []),
        headers: headersOf(operation, known.key),
        body: schema ? bodyOf(document, schema, known.models) : constant(undefined),
      })
      .map((made) => ({
        operationId: made.method === method ? operation.operationId : null,
        method: made.method,
        target: made.path + made.query,
        headers: made.headers,
        body: made.method === "GET" || made.method === "HEAD" ? undefined : made.body,
      }));
  });
}

const oddSegments = ["%00", "%", "%zz", "%F0%9F%98", "é", "a".repeat(4_000), "req_%27%20OR%201=1", "{requestId}", "__proto__", "req_", "."];

function pathOf(template: string, { requestId, models }: Known): fc.Arbitrary<string> {
  if (!template.includes("{")) return constant(template);
  const known = template.includes("{model}") ? constantFrom(...models) : constant(requestId);
  return fc.oneof(known, constantFrom(...oddSegments)).map((segment) => template.replace(/\{\w+\}/, segment));
}

const oddQueries = [
  "?",
  "?&&==&",
  "?__proto__=1",
  "?limit=1&limit=2",
  "?%",
  "?from=%00",
  "?limit=1e2",
  `?cursor=${"A".repeat(2_000)}`,
  "?é=ü",
];

function queryOf(parameters: readonly Parameter[]): fc.Arbitrary<string> {
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const pair = ({ name, schema }: Parameter) =>
    mostly(valuesOf(schema).map(String), fc.string({ unit: "binary", maxLength: 30 })).map(
      (value) => `${name}=${encodeURIComponent(value.toWellFormed())}`,
    );
  const right = fc.subarray(inQuery).chain((some) => fc.tuple(...some.map(pair)));
  return mostly(
    right.map((pairs) => (pairs.length === 0 ? "" : `?${pairs.join("&")}`)),
    constantFrom(...oddQueries),
  );
}

const oddAuthorizations = (key: string): string[] => [
  ...["", "Bearer", "Bearer ", `Basic ${key}`, `Bearer  ${key}`, `Bearer ${key}, Bearer ${key}`, key, `Bearer ${"é".repeat(50)}`],
  ...[`Bearer ${key.slice(0, -1)}`, `Bearer ${key.slice(0, -1)}_`, `Bearer pp_${"0".repeat(38)}`, `Bearer ${"a".repeat(6_000)}`],
];
const oddIdempotencyKeys = ["", "é", "a\tb", "k".repeat(256), "k".repeat(6_000), "\u0080", " "];
const contentTypes = ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON;x"];
const oddContentTypes = ["text/plain", "application/jsonp", "multipart/form-data", ";", "application/json\u00e9"];

type HeaderText = string | undefined;

function headersOf(operation: Operation, key: string): fc.Arbitrary<Record<string, string>> {
  const absent: fc.Arbitrary<HeaderText> = constant(undefined);
  const printable = fc.stringMatching(/^[\x21-\x7e]{1,60}$/);
  const isWrite = operation.requestBody !== undefined;
  return fc
    .record<Record<string, HeaderText>>({
      authorization: mostly(constantFrom(`Bearer ${key}`, `bearer ${key}`), fc.oneof(absent, constantFrom(...oddAuthorizations(key)))),
      // A frequently reused key hits answers that were saved for other bodies.
      "idempotency-key": fc.oneof(
        { weight: 4, arbitrary: absent },
        { weight: 2, arbitrary: printable },
        { weight: 1, arbitrary: constantFrom("again", ...oddIdempotencyKeys) },
      ),
      "content-type": isWrite ? mostly(constantFrom(...contentTypes), constantFrom(...oddContentTypes)) : absent,
      accept: mostly(absent, constantFrom("text/html", "*/*;q=", "application/xml")),
      "accept-encoding": mostly(absent, constantFrom("identity", "br", "*;q=0")),
      "x-forwarded-for": mostly(absent, constantFrom("1.2.3.4", "a, b,,", "::1", "é")),
    })
    .map((headers) => Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))));
}

/** Stands for a value nested too deeply for JSON.stringify. */
const DEEP = "(deep)";
const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const write = (value: unknown): string => JSON.stringify(value).replaceAll(`"${DEEP}"`, nested(8_000));

const oddValues = fc.oneof(
  constantFrom<unknown>(null, true, 0, -1, 1.5, 1e308, -0, 2 ** 53, "", "1", "\ud800", "a\udc00b", "\u0000", "\u202e\ufeff\uffff", [], {}),
  constantFrom<unknown>(DEEP, JSON.parse(nested(150)), Array(5_000).fill(0), Array(3).fill({}), "x".repeat(100_000), "é".repeat(50_000)),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.jsonValue({ maxDepth: 3 }),
);
const oddNames = constantFrom(
  "",
  "\u0000",
  "constructor",
  "toString",
  "max_tokens",
  "Model",
  "x".repeat(5_000),
  "\ud800",
  "payment",
  "é",
  "0",
);

interface Change {
  kind: "replace" | "remove" | "add" | "none";
  /** The index of the place in the value, modulo their number. */
  place: number;
  name: string;
  odd: unknown;
}

const changes = fc.array(
  fc.record<Change>({ kind: constantFrom("replace", "remove", "add", "none"), place: fc.nat(1_000), name: oddNames, odd: oddValues }),
  { maxLength: 2 },
);

type Container = Record<string, unknown> | unknown[];

/** Every place of a value: a container and the name inside it. */
function placesOf(value: unknown): [Container, string][] {
  if (typeof value !== "object" || value === null) return [];
  const container = value as Container;
  return Object.entries(container).flatMap(([name, inner]) => [[container, name] as [Container, string], ...placesOf(inner)]);
}

function changed(value: unknown, some: readonly Change[]): unknown {
  const body: unknown = JSON.parse(JSON.stringify(value));
  for (const { kind, place, name, odd } of some) {
    const places = placesOf(body).slice(0, 1_000);
    const [container, at] = places[place % Math.max(1, places.length)] ?? [];
    if (container === undefined || at === undefined) continue;
    if (kind === "replace") Reflect.set(container, at, structuredClone(odd));
    if (kind === "remove") Reflect.deleteProperty(container, at);
    if (kind === "add") Reflect.set(container, name, structuredClone(odd));
  }
  return body;
}

// Texts that JSON.stringify never writes.
const oddTexts: readonly ((text: string) => string | Uint8Array)[] = [
  (text) => text.slice(0, text.length >> 1),
  (text) => `${text}${text}`,
  (text) => `\ufeff${text}`,
  (text) => `${text.slice(0, -1)}, "model": "gpt-4o-mini", "prompt": 5, "messages": {}}`, // of duplicate names the last wins
  (text) => text.replace("{", '{"__proto__": {"model": "gpt-4o-mini"}, "constructor": null,'),
  (text) => text.replace(/\d+/, "1e400"),
  (text) => text.replace(/"[a-z ]/, '"\\ud800\\u0000'),
  (text) => text.replace(/"[a-z ]/, '"\u0000'),
  (text) => text + " ".repeat(1_100_000),
  (text) => Buffer.from(text, "utf16le"),
  (text) => Buffer.concat([Buffer.from(text.slice(0, 20)), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from(text.slice(20))]),
  () => "",
  () => "[".repeat(200_000),
];

/** Operations that few models serve, by the name of their body. */
const fewModels: Record<string, RegExp> = { EmbeddingBody: /embedding/, CountBody: /^claude/ };

function modelFor({ $ref = "" }: JsonSchema, models: readonly string[]): fc.Arbitrary<string> {
  const few = fewModels[$ref.split("/").at(-1) ?? ""];
  return few ? mostly(constantFrom(...models.filter((id) => few.test(id))), constantFrom(...models)) : constantFrom(...models);
}

function bodyOf(document: OpenApiDocument, schema: JsonSchema, models: readonly string[]): fc.Arbitrary<string | Uint8Array> {
  const right = valuesOf(schema, document.components.schemas).map((value) => value as Record<string, unknown>);
  const named = fc
    .record({ value: right, model: modelFor(schema, models), isPaid: mostly(constant(false), constant(true)) })
    // A made-up model or payment would refuse nearly everything, and so would a model of another kind.
    .map(({ value: { payment, ...value }, model, isPaid }) => ({ ...value, model, ...(isPaid ? { payment } : {}) }));
  const odd = fc.tuple(fc.oneof(named, right), changes).map(([value, some]) => write(changed(value, some)));
  return fc.oneof(
    { weight: 3, arbitrary: named.map((value) => JSON.stringify(value)) },
    { weight: 5, arbitrary: odd },
    { weight: 2, arbitrary: fc.tuple(odd, constantFrom(...oddTexts)).map(([text, spoil]) => spoil(text)) },
  );
}
