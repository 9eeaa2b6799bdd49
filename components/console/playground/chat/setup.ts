// The set-up of a conversation as text fields, and what it asks of the model.

import * as z from "zod/mini";
import { countText } from "@/components/ui/text/number-text";
import { type AnswerSchema, type ChatTool, efforts, type TurnOptions } from "./body";

export interface Setup {
  model: string;
  system: string;
  /** As typed; empty = the model's own. */
  maxTokens: string;
  temperature: string;
  /** One of `efforts`; empty = the model's own. */
  effort: string;
  /** JSON; empty = none. */
  tools: string;
  schema: string;
}

export type SetupProblems = Partial<Record<keyof Setup, string>>;

/** Characters of the tools and of the schema. */
export const MAX_JSON_LENGTH = 64_000;

export const emptySetup = (model: string): Setup => ({
  model,
  system: "",
  maxTokens: "1024",
  temperature: "",
  effort: "",
  tools: "",
  schema: "",
});

/** The options of the set-up, and its problems. */
export function readSetup(setup: Setup, maxOutputTokens: number): { options: TurnOptions; problems: SetupProblems } {
  const problems: SetupProblems = {};
  const { tools, schema } = setup;
  const options: TurnOptions = {
    model: setup.model,
    system: setup.system === "" ? undefined : setup.system,
    ...readNumbers(setup, maxOutputTokens, problems),
    effort: efforts.find((effort) => effort === setup.effort),
    tools: readJson(tools, readTools, (problem) => Object.assign(problems, { tools: problem })),
    schema: readJson(schema, readSchema, (problem) => Object.assign(problems, { schema: problem })),
  };
  return { options, problems };
}

/** The two numbers; their faults go to `problems`. */
function readNumbers(
  given: Pick<Setup, "maxTokens" | "temperature">,
  maxOutputTokens: number,
  problems: Pick<SetupProblems, "maxTokens" | "temperature">,
): Pick<TurnOptions, "maxTokens" | "temperature"> {
  const maxTokens = given.maxTokens.trim() === "" ? undefined : Number(given.maxTokens);
  const temperature = given.temperature.trim() === "" ? undefined : Number(given.temperature);
  if (maxTokens !== undefined && !(Number.isInteger(maxTokens) && maxTokens >= 1 && maxTokens <= maxOutputTokens)) {
    problems.maxTokens = `Enter a whole number from 1 to ${countText(maxOutputTokens)}.`;
  }
  if (temperature !== undefined && !(temperature >= 0 && temperature <= 2)) problems.temperature = "Enter a number from 0 to 2.";
  return { maxTokens, temperature };
}

function readJson<T>(text: string, read: (value: unknown) => T | string, onProblem: (problem: string) => void): T | undefined {
  if (text.trim() === "") return undefined;
  if (text.length > MAX_JSON_LENGTH) {
    onProblem(`Enter at most ${countText(MAX_JSON_LENGTH)} characters. This has ${countText(text.length)}.`);
    return undefined;
  }
  const found = parse(text);
  const value = found.ok ? read(found.value) : found.problem;
  if (typeof value !== "string") return value;
  onProblem(value);
  return undefined;
}

function parse(text: string): { ok: true; value: unknown } | { ok: false; problem: string } {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (error) {
    const position = /position (\d+)/.exec(String(error))?.[1];
    const line = position === undefined ? "" : ` Check line ${text.slice(0, Number(position)).split("\n").length}.`;
    return { ok: false, problem: `This is not valid JSON.${line}` };
  }
}

const name = z.string().check(z.regex(/^[a-zA-Z0-9_-]{1,64}$/));
const object = z.record(z.string(), z.unknown());
const called = z.object({ name, description: z.optional(z.string()), parameters: z.optional(object) });
/** In the form of chat completions, or flat, as Responses has it. */
const tool = z.union([z.object({ function: called }), called]);

const MAX_TOOLS = 128;

/** The tools, or their fault. */
function readTools(value: unknown): readonly ChatTool[] | string {
  const given = Array.isArray(value) ? value : [value];
  if (given.length === 0) return "Enter at least one tool, or leave the field empty.";
  if (given.length > MAX_TOOLS) return `Enter at most ${MAX_TOOLS} tools. This has ${given.length}.`;
  const tools: ChatTool[] = [];
  for (const [index, one] of given.entries()) {
    const read = tool.safeParse(one).data;
    if (!read) {
      return `Tool ${index + 1} needs a name (letters, digits, _ or -), and may have a description and parameters (a JSON Schema).`;
    }
    tools.push({ type: "function", function: "function" in read ? read.function : read });
  }
  return tools;
}

const wrapped = z.object({ name, schema: object });

/** The schema of the answer, or its fault. */
function readSchema(value: unknown): AnswerSchema | string {
  const named = wrapped.safeParse(value).data;
  if (named) return named;
  const schema = object.safeParse(value).data;
  if (!schema || Array.isArray(value)) return 'Enter a JSON Schema: an object such as {"type": "object", "properties": {…}}.';
  return { name: "answer", schema };
}
