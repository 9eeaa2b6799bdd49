// A playground prompt as code that sends the same request to the API.

import { type CodeTarget, curlCall, pythonCall, typescriptCall } from "../../docs/api-call";
import { shellJson } from "./code/literal";

/** The body of POST /api/v1/prompt; undefined fields are not sent. */
export interface PromptFields {
  model: string;
  system?: string | undefined;
  prompt: string;
  maxTokens?: number | undefined;
  temperature?: number | undefined;
}

export const curlCode = (target: CodeTarget, fields: PromptFields): string =>
  curlCall(target, { path: "/api/v1/prompt", body: shellJson(JSON.stringify(fields)) });

/** One field per line. A JSON string or number means the same in TypeScript and in Python. */
const fieldLines = (fields: PromptFields, name: (field: string) => string, indent: string): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => `${indent}${name(field)}: ${JSON.stringify(value)},`)
    .join("\n");

export const typescriptCode = (target: CodeTarget, fields: PromptFields): string =>
  typescriptCall(target, `{\n${fieldLines(fields, (field) => field, "    ")}\n  }`);

export const pythonCode = (target: CodeTarget, fields: PromptFields): string =>
  pythonCall(target, `{\n${fieldLines(fields, (field) => JSON.stringify(field), "        ")}\n    }`);
