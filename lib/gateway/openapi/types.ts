// The parts of OpenAPI 3.1 and of JSON Schema 2020-12 that this service's document is made of.

export interface JsonSchema {
  $ref?: string;
  type?: string | readonly string[];
  title?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  items?: JsonSchema;
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
  additionalProperties?: boolean | JsonSchema;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
  propertyNames?: JsonSchema;
  discriminator?: { propertyName: string; mapping: Record<string, string> };
}

export interface Example {
  summary: string;
  value: unknown;
}

export interface MediaType {
  schema: JsonSchema;
  examples: Record<string, Example>;
}

export interface Header {
  description: string;
  schema: JsonSchema;
  example?: string;
}

export interface Reference {
  $ref: string;
}

export interface Answer {
  description: string;
  headers: Record<string, Reference>;
  content: Record<string, MediaType>;
}

export interface Parameter {
  name: string;
  in: "query" | "path" | "header";
  required: boolean;
  description: string;
  schema: JsonSchema;
  example?: unknown;
}

export interface Operation {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description: string;
  security: readonly Record<string, readonly string[]>[];
  parameters?: readonly Parameter[];
  requestBody?: { required: true; content: { "application/json": MediaType } };
  /** By status. */
  responses: Record<string, Answer>;
}

/** A request that the service sends. */
export interface WebhookOperation {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description: string;
  parameters: readonly Parameter[];
  requestBody: { required: true; content: { "application/json": MediaType } };
  responses: Record<string, { description: string }>;
}

export type Method = "get" | "post";

export interface OpenApiDocument {
  openapi: "3.1.0";
  info: { title: string; version: string; summary: string; description: string };
  servers: readonly { url: string; description: string }[];
  tags: readonly { name: string; description: string }[];
  paths: Record<string, Partial<Record<Method, Operation>>>;
  /** The bodies sent to the endpoints of an account, by type of event. */
  webhooks: Record<string, { post: WebhookOperation }>;
  components: {
    securitySchemes: Record<string, Record<string, string>>;
    schemas: Record<string, JsonSchema>;
    headers: Record<string, Header>;
  };
}
