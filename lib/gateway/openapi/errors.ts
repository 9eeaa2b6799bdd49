// Errors in the document: a schema for each code of the catalogue, an example from the code that writes errors, and the error answers of an
// operation.

import { z } from "zod";
import { AppError, type ErrorCode, errorCatalogue, errorCodes, errorRow } from "@/lib/base/errors";
import { BASE_URL, type ErrorSource } from "@/lib/base/errors/error-row";
import type { Json } from "@/lib/base/json";
import { publicUrl } from "@/lib/base/public-url";
import { CONTEXT_LENGTH_EXCEEDED, chatErrorBody, INVALID_ENCRYPTED_CONTENT } from "../chat/errors";
import { errorBody } from "../http/endpoint";
import { messagesErrorBody, messagesStatus } from "../messages/errors";
import { EXAMPLE_REQUEST_ID } from "./examples";
import { headersWith } from "./headers";
import type { Answer, JsonSchema } from "./types";

/** `INVALID_API_KEY` becomes `InvalidApiKey`. */
export const errorSchemaName = (code: ErrorCode): string =>
  code.replace(/([A-Z])([A-Z]*)_?/g, (_, first: string, rest: string) => first + rest.toLowerCase());

const refOf = (code: ErrorCode): string => `#/components/schemas/${errorSchemaName(code)}`;

const detailsOf = (code: ErrorCode) => errorRow(code).details.extend({ docs: z.url().describe("Documentation of this error code.") });
const message = z.string().describe("What happened, for humans.");
const requestId = z.string().describe("Identifies this request in your records and ours.");

const ownSchema = (code: ErrorCode) =>
  z
    .object({
      error: message,
      code: z.literal(code).describe("The error code."),
      details: detailsOf(code).describe("Details of this error."),
      requestId,
    })
    .describe(`${errorCatalogue[code].title}. ${errorCatalogue[code].when} ${errorCatalogue[code].fix}`);

const chatError = z
  .object({
    error: z
      .object({
        message,
        type: z.string().describe("OpenAI's error type."),
        param: z.string().nullable().describe("The invalid field, if there is one."),
        code: z
          .enum([...errorCodes, CONTEXT_LENGTH_EXCEEDED, INVALID_ENCRYPTED_CONTENT])
          .describe(
            "The error code. OpenAI's own are context_length_exceeded for a prompt that is too long, and invalid_encrypted_content for an item that another service sealed.",
          ),
        details: z
          .looseObject({ docs: z.url().describe("Documentation of this error code.") })
          .describe("Same as in our own error format."),
        requestId,
      })
      .describe("The error."),
  })
  .describe("An error in OpenAI's format, with our code, details and request ID.");

const messagesError = z
  .object({
    type: z.literal("error").describe("Always error."),
    error: z
      .object({
        type: z.string().describe("Anthropic's error type."),
        message,
        code: z.enum(errorCodes).describe("The error code."),
        details: z
          .looseObject({ docs: z.url().describe("Documentation of this error code.") })
          .describe("Same as in our own error format."),
      })
      .describe("The error."),
    request_id: requestId,
  })
  .describe("An error in Anthropic's format, with our code and details.");

/** The schema of every code by its component name, and the schema of OpenAI's format. */
export const errorSchemas: Record<string, z.ZodType> = {
  ...Object.fromEntries(errorCodes.map((code) => [errorSchemaName(code), ownSchema(code)])),
  ChatError: chatError,
  MessagesError: messagesError,
};

/** One real case of an error. */
function exampleError(code: ErrorCode): AppError {
  const { error, details } = errorRow(code).example;
  const here = JSON.parse(JSON.stringify(details).replaceAll(BASE_URL, publicUrl())) as Record<string, Json>;
  return new AppError(code, { ...(error === null ? {} : { message: error }), details: here });
}

/** How an endpoint writes its errors. */
export interface ErrorForm {
  schema(codes: readonly ErrorCode[]): JsonSchema;
  example(code: ErrorCode): unknown;
  /** Its own statuses, where they differ from the catalogue's. */
  statusOf?(error: AppError): number;
}

/** Our own format: a schema for each code, distinguished by `code`. */
export const ownErrorForm: ErrorForm = {
  schema: (group) => {
    const [only, ...others] = group;
    if (only && others.length === 0) return { $ref: refOf(only) };
    const mapping = Object.fromEntries(group.map((code) => [code, refOf(code)]));
    return { oneOf: group.map((code) => ({ $ref: refOf(code) })), discriminator: { propertyName: "code", mapping } };
  },
  example: (code) => JSON.parse(errorBody(exampleError(code), EXAMPLE_REQUEST_ID)),
};

export const chatErrorForm: ErrorForm = {
  schema: () => ({ $ref: "#/components/schemas/ChatError" }),
  example: (code) => JSON.parse(chatErrorBody(exampleError(code), EXAMPLE_REQUEST_ID)),
};

export const messagesErrorForm: ErrorForm = {
  schema: () => ({ $ref: "#/components/schemas/MessagesError" }),
  example: (code) => JSON.parse(messagesErrorBody(exampleError(code), EXAMPLE_REQUEST_ID)),
  statusOf: messagesStatus,
};

/** The codes that an operation with these sources may end with. */
const refusalsOf = (sources: readonly ErrorSource[]): ErrorCode[] =>
  errorCodes.filter((code) => errorRow(code).from.some((source) => sources.includes(source)));

/** The error answers of an operation, by status. `sources` are those of its errors besides `any`. */
export function errorAnswers(sources: readonly ErrorSource[], form: ErrorForm = ownErrorForm): Record<string, Answer> {
  const refusals = refusalsOf(["any", ...sources]);
  const answers: Record<string, Answer> = {};
  const statusOf = (code: ErrorCode) => form.statusOf?.(exampleError(code)) ?? errorCatalogue[code].status;
  for (const status of new Set(refusals.map(statusOf))) {
    const group = refusals.filter((code) => statusOf(code) === status);
    const example = (code: ErrorCode) => [code, { summary: errorCatalogue[code].title, value: form.example(code) }] as const;
    answers[status] = {
      description: group.map((code) => `\`${code}\`: ${errorCatalogue[code].title}.`).join(" "),
      headers: headersWith(
        ...new Set(group.flatMap((code) => errorRow(code).headers)),
        ...(form === messagesErrorForm ? (["Request-Id"] as const) : []),
      ),
      content: { "application/json": { schema: form.schema(group), examples: Object.fromEntries(group.map(example)) } },
    };
  }
  return answers;
}
