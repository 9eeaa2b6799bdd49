// What the tests of the document share: an answer or a refusal of the running service has exactly the described fields and headers.

import { expect } from "vitest";
import { type ErrorCode, errorCatalogue } from "@/lib/base/errors";
import type { Answer } from "../../contract/testing/client";
import { openApiDocument } from "../document";
import { errorSchemaName } from "../errors";
import { namedSchemas } from "../schemas";
import type { Operation } from "../types";

/** HTTP's own headers, and those that belong to no operation. */
const ofHttp =
  /^(content-type|content-length|transfer-encoding|date|connection|keep-alive|cache-control|x-accel-buffering|x-content-type-options|access-control-.*)$/;

const onSomeAnswers = ["idempotent-replayed", "x-clipped-to", "x-dropped-tools", "retry-after", "www-authenticate"];

export const allOperations = (): Operation[] => Object.values(openApiDocument().paths).flatMap((methods) => Object.values(methods));

export function operationOf(operationId: string): Operation {
  const found = allOperations().find((operation) => operation.operationId === operationId);
  if (!found) throw new Error(`there is no operation ${operationId}`);
  return found;
}

/** `body` has exactly the fields of the schema: one more or one less fails. */
export function expectFields(schema: string, body: unknown): void {
  expect(namedSchemas[schema]?.parse(body), schema).toEqual(body);
}

export function expectHeaders(operationId: string, { status, headers }: Answer): void {
  const described = Object.keys(operationOf(operationId).responses[status]?.headers ?? {}).map((name) => name.toLowerCase());
  const sent = [...headers.keys()].filter((name) => !ofHttp.test(name));
  expect(
    sent.filter((name) => !described.includes(name)),
    `${operationId} ${status}`,
  ).toEqual([]);
  expect(described.filter((name) => !sent.includes(name) && !onSomeAnswers.includes(name))).toEqual([]);
}

export function expectRefusal(operationId: string, answer: Answer, code: ErrorCode, schema = errorSchemaName(code)): void {
  const { status } = errorCatalogue[code];
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status, text: expect.stringContaining(`"${code}"`) });
  expectFields(schema, JSON.parse(answer.text));
  expect(operationOf(operationId).responses[status]?.content["application/json"]?.examples, operationId).toHaveProperty(code);
  expectHeaders(operationId, answer);
}
