// Tools and formats of a Gemini request: their schemas, the rules beyond the schemas, and what they require of an answer.
// Source: ai.google.dev/api/caching#Tool, ai.google.dev/api/caching#Schema, ai.google.dev/gemini-api/docs/structured-output.

import { z } from "zod/mini";
import type { BrokenRule, SimulatedCall, SimulatedTool, ToolChoice } from "../vendor";
import { isSigned } from "./contents";

const unread = z.optional(z.unknown());
const text = z.optional(z.string());
const texts = z.optional(z.array(z.string()));
const number = z.optional(z.number());
// 64-bit integers may also be strings.
const long = z.optional(z.union([z.int(), z.string()]));

const TYPES = ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];
const TYPE_NAMES = [...TYPES, ...TYPES.map((type) => type.toLowerCase()), "TYPE_UNSPECIFIED"];

/** A subset of OpenAPI's schema, as a protocol buffer: other keywords are refused. */
export const protoSchema = z.strictObject({
  type: z.optional(z.enum(TYPE_NAMES)),
  format: text,
  title: text,
  description: text,
  nullable: z.optional(z.boolean()),
  enum: texts,
  pattern: text,
  example: unread,
  default: unread,
  required: texts,
  propertyOrdering: texts,
  minItems: long,
  maxItems: long,
  minProperties: long,
  maxProperties: long,
  minLength: long,
  maxLength: long,
  minimum: number,
  maximum: number,
  get items(): z.ZodMiniOptional<z.ZodMiniType> {
    return z.optional(protoSchema);
  },
  get properties(): z.ZodMiniOptional<z.ZodMiniType> {
    return z.optional(z.record(z.string(), protoSchema));
  },
  get anyOf(): z.ZodMiniOptional<z.ZodMiniType> {
    return z.optional(z.array(protoSchema));
  },
});

const functionDeclaration = z.strictObject({
  name: z.string().check(z.regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/)),
  description: text,
  behavior: text,
  parameters: z.optional(protoSchema),
  parametersJsonSchema: unread,
  response: z.optional(protoSchema),
  responseJsonSchema: unread,
});

export const tools = z.array(
  z.strictObject({
    functionDeclarations: z.optional(z.array(functionDeclaration)),
    googleSearch: unread,
    googleSearchRetrieval: unread,
    googleMaps: unread,
    codeExecution: unread,
    urlContext: unread,
    fileSearch: unread,
    computerUse: unread,
    mcpServers: unread,
  }),
);

export const toolConfig = z.strictObject({
  functionCallingConfig: z.optional(
    z.strictObject({ mode: z.optional(z.enum(["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"])), allowedFunctionNames: texts }),
  ),
  retrievalConfig: unread,
  includeServerSideToolInvocations: z.optional(z.boolean()),
});

export interface ToolFields {
  tools?: z.infer<typeof tools>;
  toolConfig?: z.infer<typeof toolConfig>;
  generationConfig?: { responseMimeType?: string; responseSchema?: unknown; responseJsonSchema?: unknown };
}

export function findToolRule(fields: ToolFields, model: string): BrokenRule | null {
  const declared = declarationsOf(fields);
  const twice = declared.find(({ parameters, parametersJsonSchema }) => parameters !== undefined && parametersJsonSchema !== undefined);
  if (twice !== undefined) {
    return {
      message: `* GenerateContentRequest.tools.function_declarations: ${twice.name}: parameters and parameters_json_schema are mutually exclusive`,
    };
  }
  const config = fields.toolConfig?.functionCallingConfig;
  if (config !== undefined && declared.length === 0) return { message: "Function calling config is set without function_declarations." };
  const allowed = config?.allowedFunctionNames ?? [];
  if (allowed.length > 0 && config?.mode !== "ANY" && config?.mode !== "VALIDATED") {
    return { message: "allowed_function_names can only be set when the function calling mode is ANY or VALIDATED." };
  }
  const missing = allowed.find((name) => !declared.some((declaration) => declaration.name === name));
  if (missing !== undefined) return { message: `allowed_function_names: ${missing} is not one of the function_declarations.` };
  return findFormatRule(fields, declared.length > 0 && !isSigned(model));
}

function findFormatRule({ generationConfig: config = {} }: ToolFields, hasOldTools: boolean): BrokenRule | null {
  const isJson = config.responseMimeType === "application/json";
  if (isJson && hasOldTools) return { message: "Function calling with a response mime type: 'application/json' is unsupported" };
  const field =
    config.responseSchema !== undefined ? "response_schema" : config.responseJsonSchema !== undefined ? "response_json_schema" : null;
  if (field === null || isJson || config.responseMimeType === "text/x.enum") return null;
  return {
    message: `* GenerateContentRequest.generation_config.${field}: ${field} needs the response_mime_type application/json or text/x.enum`,
  };
}

export function readTools(fields: ToolFields): Pick<SimulatedCall, "tools" | "toolChoice" | "parallelToolCalls" | "json"> {
  const { responseMimeType, responseSchema, responseJsonSchema } = fields.generationConfig ?? {};
  return {
    tools: declarationsOf(fields).map(({ name, description, parameters, parametersJsonSchema }): SimulatedTool => {
      return { name, description, parameters: parametersJsonSchema ?? parameters };
    }),
    toolChoice: readChoice(fields.toolConfig?.functionCallingConfig),
    parallelToolCalls: true,
    json: responseMimeType === "application/json" ? { schema: responseJsonSchema ?? responseSchema } : undefined,
  };
}

const declarationsOf = ({ tools = [] }: ToolFields) => tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations);

function readChoice(config: { mode?: string; allowedFunctionNames?: string[] } = {}): ToolChoice {
  const names = config.allowedFunctionNames;
  if (config.mode === "ANY") return { mode: "required", names };
  return { mode: config.mode === "NONE" ? "none" : "auto", names };
}
