// The contents of a Gemini request: their parts, and the required order of function calls and responses.
// Source: ai.google.dev/api/caching#Content, ai.google.dev/gemini-api/docs/function-calling,
// ai.google.dev/gemini-api/docs/thought-signatures, and error bodies quoted in public issue threads of its clients.

import { z } from "zod/mini";
import type { BrokenRule, SimulatedMessage } from "../vendor";

const unread = z.optional(z.unknown());
const struct = z.record(z.string(), z.unknown());
const name = z.string().check(z.minLength(1));
const base64 = z.string().check(z.regex(/^[A-Za-z0-9+/_-]*={0,2}$/));

const dataFields = {
  text: z.optional(z.string()),
  inlineData: z.optional(
    z.strictObject({ mimeType: z.enum(["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"]), data: base64 }),
  ),
  fileData: unread,
  functionCall: z.optional(z.strictObject({ id: z.optional(z.string()), name, args: z.optional(struct) })),
  functionResponse: z.optional(
    z.strictObject({
      id: z.optional(z.string()),
      name,
      response: struct,
      parts: unread,
      willContinue: z.optional(z.boolean()),
      scheduling: z.optional(z.string()),
    }),
  ),
  executableCode: unread,
  codeExecutionResult: unread,
};
const part = z.strictObject({
  ...dataFields,
  thought: z.optional(z.boolean()),
  thoughtSignature: z.optional(base64),
  videoMetadata: unread,
});
const parts = z.array(part).check(z.minLength(1));

export const contents = z.array(z.strictObject({ role: z.optional(z.enum(["user", "model"])), parts })).check(z.minLength(1));
export const instruction = z.strictObject({ role: z.optional(z.string()), parts });

type Contents = z.infer<typeof contents>;
type Content = Contents[number];
type Part = Content["parts"][number];

const dataNames = Object.keys(dataFields) as (keyof typeof dataFields)[];

/** The first broken rule of parts and their order; `model` decides whether calls must be signed. */
export function findContentRule(given: Contents, model: string): BrokenRule | null {
  return findPartRule(given) ?? findOrderRule(given) ?? (isSigned(model) ? findUnsigned(given) : null);
}

function findPartRule(given: Contents): BrokenRule | null {
  for (const [index, { parts }] of given.entries()) {
    const at = parts.findIndex((part) => dataNames.filter((field) => part[field] !== undefined).length !== 1);
    if (at === -1) continue;
    const field = `contents[${index}].parts[${at}].data`;
    return { message: `* GenerateContentRequest.${field}: required oneof field 'data' must have one initialized field` };
  }
  return null;
}

function findOrderRule(given: Contents): BrokenRule | null {
  let openCalls = 0;
  for (const [index, content] of given.entries()) {
    const calls = callsOf(content);
    const responses = content.parts.filter((part) => part.functionResponse !== undefined).length;
    if (openCalls !== responses) return openCalls > 0 ? unequalResponses : strayResponse;
    if (calls.length > 0 && (index === 0 || given[index - 1]?.role === "model")) return misplacedCall;
    openCalls = calls.length;
  }
  return openCalls > 0 ? unequalResponses : null;
}

const unequalResponses = {
  message:
    "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
};
const strayResponse = { message: "Please ensure that function response turn comes immediately after a function call turn." };
const misplacedCall = {
  message: "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
};

/** Gemini 3 and later sign the first call of a turn, and require the signature back. */
export const isSigned = (model: string): boolean => /^gemini-(?![12](?:[.-]|$))/.test(model);

// Only the current turn is checked: everything after the user's last text.
function findUnsigned(given: Contents): BrokenRule | null {
  const start = given.findLastIndex((content) => content.role !== "model" && content.parts.some((part) => part.text !== undefined));
  for (const [index, content] of given.entries()) {
    const [first] = callsOf(content);
    if (index < start || first === undefined || first.thoughtSignature) continue;
    return {
      message: `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${first.functionCall?.name}\` , position ${index + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
    };
  }
  return null;
}

const callsOf = ({ parts }: Content): Part[] => parts.filter((part) => part.functionCall !== undefined);

/** One message for the text and one for each function response, in order. */
export function toSimulatedMessages({ role, parts }: Content, detail: "low" | "high" = "high"): SimulatedMessage[] {
  const results = parts.flatMap((part): SimulatedMessage[] =>
    part.functionResponse === undefined ? [] : [{ role: "tool", text: readResult(part.functionResponse.response) }],
  );
  const others = parts.filter((part) => part.functionResponse === undefined);
  if (others.length === 0) return results;
  const toolCalls = others.flatMap(({ functionCall }) =>
    functionCall === undefined ? [] : [{ name: functionCall.name, arguments: JSON.stringify(functionCall.args ?? {}) }],
  );
  const speaker = role === "model" ? "assistant" : "user";
  const images = others.flatMap(({ inlineData }) => (inlineData ? [{ data: inlineData.data, detail }] : []));
  return [
    ...results,
    { role: speaker, text: textOf(others), ...(images.length > 0 && { images }), ...(toolCalls.length > 0 && { toolCalls }) },
  ];
}

// `output` is the documented field for a result that is not an object.
function readResult(response: Record<string, unknown>): string {
  const [first, ...others] = Object.keys(response);
  return first === "output" && others.length === 0 && typeof response.output === "string" ? response.output : JSON.stringify(response);
}

export const textOf = (given: readonly { text?: string }[]): string => given.map(({ text }) => text ?? "").join("");
