// The operations of the API's document, as the page shows them.

import type { Site } from "@/app/site";
import type { Field } from "@/components/docs/field-list";
import type { OperationView } from "@/components/docs/operation-section";
import { type ErrorCode, errorCatalogue } from "@/lib/base/errors";
import { openApiDocument } from "@/lib/gateway/openapi/document";
import type { MediaType, Operation } from "@/lib/gateway/openapi/types";
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
    curl: curlOf(site, method, path, operation),
    answerExample: JSON.stringify(firstExample(answer), null, 2),
    eventsExample: events ? String(firstExample(events)).trimEnd() : null,
  };
}

/** Response fields are not marked as required; fields that may be missing say so. */
const answerRow = ({ path, type, isRequired, about }: Field): Field => ({
  path,
  type: isRequired ? type : `${type}, not always there`,
  about,
});

const firstExample = (media: MediaType | undefined): unknown => Object.values(media?.examples ?? {})[0]?.value;

function errorsOf({ responses }: Operation): OperationView["errors"] {
  const codes = Object.entries(responses)
    .filter(([status]) => status !== "200")
    .flatMap(([, { content }]) => Object.keys(content["application/json"]?.examples ?? {}) as ErrorCode[]);
  return codes.map((code) => ({ code, status: errorCatalogue[code].status, title: errorCatalogue[code].title }));
}

/** A curl line with the document's example values. */
function curlOf(
  { baseUrl, keyVariable }: Site,
  method: string,
  path: string,
  { security, parameters = [], requestBody }: Operation,
): string {
  const inQuery = parameters.filter(({ in: place, example }) => place === "query" && example !== undefined);
  const query = inQuery.map(({ name, example }) => `${name}=${example}`).join("&");
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) => String(parameters.find((one) => one.name === name)?.example ?? whole));
  const url = `${baseUrl}${filled}${query === "" ? "" : `?${query}`}`;
  const body = firstExample(requestBody?.content["application/json"]);
  return [
    `curl -s ${query === "" ? url : `'${url}'`}`,
    ...(security.length > 0 ? [`-H "Authorization: Bearer $${keyVariable}"`] : []),
    ...(method === "GET" ? [] : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`]),
  ].join(" \\\n  ");
}
