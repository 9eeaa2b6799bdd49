// Converts the zod schemas that validate to the document's JSON Schemas, with a sentence for every field of a request.

import { z } from "zod";
import { chatBodySchema } from "../chat/body";
import { refusedOptions } from "../chat/options";
import { embeddingBodySchema } from "../embeddings/body";
import { maskOf } from "../http/dialect-fields";
import { countBodySchema, messagesBodySchema } from "../messages/body";
import { promptBodySchema } from "../prompt/prompt-body";
import { paymentSchema } from "../proof/proof-body";
import { refusedFields, responsesBodySchema } from "../responses/body";
import { inputItem } from "../responses/item-schemas";
import { ownTool } from "../responses/tools";
import { balance, depositPage, receipt, usagePage } from "./answers/account";
import { auditPage } from "./answers/audit";
import { chatChunk, chatCompletion } from "./answers/chat";
import { embeddingList } from "./answers/embeddings";
import { event, eventList } from "./answers/events";
import { message, messageEvent, tokenCount } from "./answers/messages";
import { paymentTerms } from "./answers/payment";
import { model, modelList, promptAnswer, promptDelta, quote } from "./answers/prompt";
import { responseAnswer, responseEvent } from "./answers/responses";
import { errorSchemas } from "./errors";
import { messagesNotesOf } from "./messages-notes";
import { chatNotes, embeddingNotes, type FieldNotes, promptNotes, responseNotes } from "./request-notes";
import type { JsonSchema } from "./types";

/** Of successful answers: what a client may rely on. A test checks the running service against them. */
const answerSchemas = {
  Message: message,
  MessageEvent: messageEvent,
  TokenCount: tokenCount,
  PromptAnswer: promptAnswer,
  PromptDelta: promptDelta,
  Quote: quote,
  ChatCompletion: chatCompletion,
  ChatCompletionChunk: chatChunk,
  Response: responseAnswer,
  ResponseEvent: responseEvent,
  EmbeddingList: embeddingList,
  Model: model,
  ModelList: modelList,
  Balance: balance,
  UsagePage: usagePage,
  DepositPage: depositPage,
  Receipt: receipt,
  Event: event,
  EventList: eventList,
  AuditPage: auditPage,
  PaymentTerms: paymentTerms,
};

/** Every named schema of the document, as a zod schema. */
export const namedSchemas: Record<string, z.ZodType> = {
  // Without the fields that are known only to be refused, here and below.
  MessagesBody: messagesBodySchema.omit({ thread: true }),
  CountBody: countBodySchema.omit({ thread: true }),
  // An unreadable payment has its own error, so the validating schema leaves it to its reader.
  PromptBody: promptBodySchema.extend({ payment: paymentSchema.optional() }),
  ChatBody: chatBodySchema.omit(maskOf(refusedOptions)),
  // Items and tools are read one by one, since hosted ones are passed over; metadata as a whole.
  ResponseBody: responsesBodySchema.omit(maskOf(refusedFields)).extend({
    input: z.union([z.string(), z.array(inputItem)]),
    tools: z.array(ownTool).nullish(),
    metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  }),
  EmbeddingBody: embeddingBodySchema,
  ...answerSchemas,
  ...errorSchemas,
};

const notesOf: Record<string, FieldNotes> = {
  PromptBody: promptNotes,
  ChatBody: chatNotes,
  ResponseBody: responseNotes,
  EmbeddingBody: embeddingNotes,
};

/** All named schemas as JSON Schema 2020-12; a schema inside another is a $ref to its name. */
export function componentSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(namedSchemas)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    target: "draft-2020-12",
    // For answers too: a field of a later version must not break a client that validates.
    io: "input",
    unrepresentable: "any",
    uri: (id) => `#/components/schemas/${id}`,
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      describeFields(plainSchema(JSON.parse(JSON.stringify(schema))), notesOf[name] ?? messagesNotesOf[name] ?? {}),
    ]),
  );
}

const SAFE_INTEGERS = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/** Without keywords that tell a reader nothing: its own URI, the bounds of JavaScript's integers, the pattern of a known format. */
function plainSchema(schema: unknown): JsonSchema {
  if (Array.isArray(schema)) return schema.filter((item) => !isRefusedPart(item) && !isRefusedBlock(item)).map(plainSchema) as JsonSchema;
  if (typeof schema !== "object" || schema === null) return schema as JsonSchema;
  const kept = Object.entries(schema).filter(
    ([keyword, value]) =>
      !(keyword === "$schema" || keyword === "$id") &&
      !((keyword === "minimum" || keyword === "maximum") && SAFE_INTEGERS.includes(value)) &&
      !(keyword === "pattern" && "format" in schema),
  );
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, plainSchema(value)])) as JsonSchema;
}

/** The part of a message that zod knows only to report its fault. */
const isRefusedPart = (schema: unknown): boolean => {
  const { properties } = (schema ?? {}) as JsonSchema;
  const types = properties?.type?.enum ?? [];
  return types.includes("input_audio");
};

/** The same for blocks in Anthropic's form. */
const isRefusedBlock = (schema: unknown): boolean => {
  const types = ((schema ?? {}) as JsonSchema).properties?.type?.enum ?? [];
  return ["document", "server_tool_use"].some((type) => types.includes(type));
};

/** The fields of a schema by their path, including those of its parts, items and alternatives. */
export function fieldsOf(schema: JsonSchema, path = ""): Map<string, JsonSchema[]> {
  const fields = new Map<string, JsonSchema[]>();
  const add = (name: string, found: readonly JsonSchema[]) => fields.set(name, [...(fields.get(name) ?? []), ...found]);
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const at = path === "" ? name : `${path}.${name}`;
    add(at, [field]);
    for (const [inner, found] of fieldsOf(field, at)) add(inner, found);
  }
  if (schema.items) for (const [inner, found] of fieldsOf(schema.items, `${path}[]`)) add(inner, found);
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
    for (const [inner, found] of fieldsOf(part, path)) add(inner, found);
  return fields;
}

function describeFields(schema: JsonSchema, notes: FieldNotes): JsonSchema {
  for (const [path, found] of fieldsOf(schema)) {
    const note = notes[path];
    if (note) for (const field of found) field.description = note;
  }
  return schema;
}
