// The operations of the API's document, as their pages show them.

import type { Site } from "@/app/site";
import type { Field } from "@/components/docs/field-list";
import type { OperationView } from "@/components/docs/operation-view";
import type { TryItForm } from "@/components/docs/try-it/try-it-form";
import { type ErrorCode, errorCatalogue } from "@/lib/base/errors";
import { openApiDocument } from "@/lib/gateway/openapi/document";
import type { Example, MediaType, Operation, Parameter } from "@/lib/gateway/openapi/types";
import { fieldRows, parameterRows } from "./field-rows";

/** Operations in the document's order, under the description of their tag. */
export function listOperations(site: Site): { tag: string; about: string; operations: OperationView[] }[] {
  const { tags, paths } = openApiDocument();
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0],
      view: viewOf(site, method.toUpperCase(), path, operation),
    })),
  );
  return tags.map(({ name, description }) => ({
    tag: name,
    about: description,
    operations: all.filter(({ tag }) => tag === name).map(({ view }) => view),
  }));
}

function viewOf(site: Site, method: string, path: string, operation: Operation): OperationView {
  const { schemas } = openApiDocument().components;
  const { operationId, summary, description, security, parameters = [], requestBody, responses } = operation;
  const body = requestBody?.content["application/json"];
  const answer = responses["200"]?.content["application/json"];
  const events = responses["200"]?.content["text/event-stream"];
  return {
    id: operationId,
    method,
    path,
    summary,
    description,
    needsKey: security.length > 0,
    parameters: parameterRows(parameters, schemas),
    body: body ? fieldRows(body.schema, schemas) : [],
    answerAbout: responses["200"]?.description ?? "",
    answer: answer ? fieldRows(answer.schema, schemas).map(answerRow) : [],
    errors: errorsOf(operation),
    requests: requestsOf(site, path, operation),
    answers: examplesOf(answer).map(({ summary: label, value }) => ({ label, json: JSON.stringify(value, null, 2) })),
    events: examplesOf(events).map(({ summary: label, value }) => ({ label, text: String(value).trimEnd() })),
    tryIt: tryItForm(method, path, operation),
  };
}

/** The operation of this id, or null. */
export const findOperation = (site: Site, id: string): OperationView | null =>
  listOperations(site)
    .flatMap(({ operations }) => operations)
    .find((operation) => operation.id === id) ?? null;

/** Response fields are not marked as required; fields that may be missing say so. */
const answerRow = ({ path, type, isRequired, about }: Field): Field => ({
  path,
  type: isRequired ? type : `${type}, may be absent`,
  about,
});

const examplesOf = (media: MediaType | undefined): Example[] => Object.values(media?.examples ?? {});

function errorsOf({ responses }: Operation): OperationView["errors"] {
  const codes = Object.entries(responses)
    .filter(([status]) => status !== "200")
    .flatMap(([, { content }]) => Object.keys(content["application/json"]?.examples ?? {}) as ErrorCode[]);
  return codes.map((code) => ({ code, status: errorCatalogue[code].status, title: errorCatalogue[code].title }));
}

/** A curl line for each example of the body, or one without a body. */
function requestsOf(site: Site, path: string, operation: Operation): OperationView["requests"] {
  const bodies = examplesOf(operation.requestBody?.content["application/json"]);
  if (bodies.length === 0) return [{ label: "Request", curl: curlOf(site, path, operation) }];
  return bodies.map(({ summary: label, value }) => ({ label, curl: curlOf(site, path, operation, value) }));
}

/** A body that is longer than that is written on several lines. */
const LINE_CHARACTERS = 40;

/** A curl line with the document's example values. */
function curlOf({ baseUrl, keyVariable }: Site, path: string, { security, parameters = [] }: Operation, body?: unknown): string {
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) => String(exampleOf(parameters, name) ?? whole));
  const query = inQuery(parameters)
    .filter(({ example }) => example !== undefined)
    .map(({ name, example }) => `${name}=${example}`)
    .join("&");
  const url = `${baseUrl}${filled}${query === "" ? "" : `?${query}`}`;
  return [
    `curl -s ${query === "" ? url : `'${url}'`}`,
    ...(security.length > 0 ? [`-H "Authorization: Bearer $${keyVariable}"`] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${bodyText(body)}'`]),
  ].join(" \\\n  ");
}

function bodyText(body: unknown): string {
  const line = JSON.stringify(body);
  return line.length <= LINE_CHARACTERS ? line : JSON.stringify(body, null, 2).replaceAll("\n", "\n  ");
}

const inQuery = (parameters: readonly Parameter[]) => parameters.filter(({ in: place }) => place === "query");
const exampleOf = (parameters: readonly Parameter[], wanted: string): unknown => parameters.find(({ name }) => name === wanted)?.example;

/** The form of the request that the reader can send from the page; null for an operation that a wallet pays for. */
function tryItForm(method: string, path: string, { security, parameters = [], requestBody }: Operation): TryItForm | null {
  const needsKey = security.length > 0;
  if (requestBody && !needsKey) return null;
  const [body] = examplesOf(requestBody?.content["application/json"]);
  const fields = parameters.filter(({ in: place }) => place !== "header");
  return {
    method,
    path,
    needsKey,
    isCharged: requestBody !== undefined && !freePaths.has(path),
    body: body ? JSON.stringify(body.value, null, 2) : null,
    fields: fields.map(({ name, in: place, required, example }) => ({
      name,
      place: place === "path" ? "path" : "query",
      isRequired: required,
      value: example === undefined ? "" : String(example),
    })),
  };
}

/** Bodies that no model answers. */
const freePaths: ReadonlySet<string> = new Set(["/api/v1/quote", "/api/v1/messages/count_tokens"]);
