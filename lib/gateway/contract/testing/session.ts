// A recorded session of a real client, in a form that holds its structure and none of its words: `npm run test:long -- agents` records one
// (e2e/agents), and sessions.test.ts sends it again. A long text is `~n`, as long as the text was. What the service itself wrote into an
// answer and the client sent back (ids, signatures, sealed reasoning) is `@n`, the n-th such value of the session: the replay puts the value
// in its place that its own answers have. A picture is `%`. A field like that of the request before it is `=`, and so are the first `n` entries of a list.

import { z } from "zod";
import { png } from "./pictures";

const requestSchema = z.strictObject({
  method: z.string(),
  path: z.string(),
  status: z.int(),
  body: z.record(z.string(), z.unknown()).optional(),
});

export const sessionSchema = z.strictObject({
  /** The client and its version. */
  client: z.string(),
  /** Of its first request with a body. */
  headers: z.record(z.string(), z.string()),
  requests: z.array(requestSchema),
});

export type Session = z.infer<typeof sessionSchema>;

/** A request of a client, and what it was answered. */
export interface Exchange {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** JSON, or empty. */
  body: string;
  status: number;
  answer: string;
}

type Json = unknown;
type Fields = Record<string, Json>;

/** Names, values and the tests' own prompts are short; the client's sentences are its own. */
const LONGEST_TEXT = 48;
/** Written by tests, for the simulated models. */
const DIRECTIVE = "[[simulate:";
const LONGEST_DIRECTIVE = 600;
/** PNG in base64, alone or in a data URL. */
const PICTURE = /^(data:image\/png;base64,)?iVBORw0KGgo/;

/** The test's own text in the place of a client's: one word and a space are two tokens. */
export const filler = (characters: number): string => "word ".repeat(Math.ceil(characters / 5)).slice(0, characters);

const isFields = (value: Json): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

/** A copy whose texts are replaced. */
function mapTexts(value: Json, replace: (text: string, field: string) => string, field = ""): Json {
  if (typeof value === "string") return replace(value, field);
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, replace, field));
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapTexts(inner, replace, name)]));
}

/** The values of an answer that a client sends back, in their order: those of its events or of its JSON, then Anthropic's whole thoughts. */
function valuesOf(answer: string): string[] {
  const written = [...answer.matchAll(/"(?:id|call_id|signature|encrypted_content)":("(?:[^"\\]|\\.){8,}")/g)];
  const marks = written.map(([, value = '""']) => JSON.parse(value) as string);
  return [...marks, ...thoughtsOf(answer)];
}

const deltaSchema = z.object({ index: z.int(), delta: z.object({ type: z.literal("thinking_delta"), thinking: z.string() }) });

function thoughtsOf(answer: string): string[] {
  const thoughts = new Map<number, string>();
  for (const [, data = ""] of answer.matchAll(/^data: (.*"thinking_delta".*)$/gm)) {
    const read = deltaSchema.safeParse(JSON.parse(data));
    if (read.success) thoughts.set(read.data.index, (thoughts.get(read.data.index) ?? "") + read.data.delta.thinking);
  }
  return [...thoughts.values()];
}

/** Numbers the values of all answers, in the order in which they come. */
class AnsweredValues {
  readonly #values: string[] = [];
  readonly #numbers = new Map<string, number>();

  add(answer: string): void {
    for (const value of valuesOf(answer)) {
      if (this.#numbers.has(value)) continue;
      this.#numbers.set(value, this.#values.length);
      this.#values.push(value);
    }
  }

  numberOf = (value: string): number | undefined => this.#numbers.get(value);

  at(number: number): string {
    const value = this.#values[number];
    if (value === undefined) throw new Error(`The session's answers have ${this.#values.length} values, and no value ${number}`);
    return value;
  }
}

function shorten(text: string, field: string, answered: AnsweredValues): string {
  const number = answered.numberOf(text);
  if (number !== undefined) return `@${number}`;
  const [isPicture, head = ""] = PICTURE.exec(text) ?? [];
  if (isPicture) return `${head}%`;
  if (field === "description") return `~${text.length}`;
  const isKept = text.length <= LONGEST_TEXT || (text.includes(DIRECTIVE) && text.length <= LONGEST_DIRECTIVE);
  return isKept ? text : `~${text.length}`;
}

const equal = (left: Json, right: Json): boolean => JSON.stringify(left) === JSON.stringify(right);

function likeBefore(value: Json, before: Json): Json {
  if (equal(value, before)) return "=";
  if (!Array.isArray(value) || !Array.isArray(before)) return value;
  const first = value.findIndex((entry, index) => !equal(entry, before[index]));
  return first > 0 ? [{ "=": first }, ...value.slice(first)] : value;
}

/** Reduces what a client sent and got. */
export function reduceSession(client: string, exchanges: readonly Exchange[]): Session {
  const answered = new AnsweredValues();
  let before: Fields = {};
  const requests = exchanges.map(({ method, path, body, status, answer }) => {
    const told = { method, path, status };
    if (body === "") return told;
    const whole = mapTexts(JSON.parse(body), (text, field) => shorten(text, field, answered)) as Fields;
    const fields = Object.fromEntries(Object.entries(whole).map(([name, value]) => [name, likeBefore(value, before[name])]));
    before = whole;
    answered.add(answer);
    return { ...told, body: fields };
  });
  return { client, headers: exchanges.find(({ body }) => body !== "")?.headers ?? {}, requests };
}

function asBefore(value: Json, before: Json): Json {
  if (value === "=") return before;
  const [first, ...others] = Array.isArray(value) ? (value as Json[]) : [];
  const count = isFields(first) ? first["="] : undefined;
  return typeof count === "number" && Array.isArray(before) ? [...before.slice(0, count), ...others] : value;
}

/** Sends a session again. `send` resolves with the answer's text; it is given each request with its body as the client would send it now. */
export async function replaySession({ requests }: Session, send: (request: Session["requests"][number]) => Promise<string>): Promise<void> {
  const answered = new AnsweredValues();
  let before: Fields = {};
  for (const request of requests) {
    if (request.body === undefined) {
      await send(request);
      continue;
    }
    before = Object.fromEntries(Object.entries(request.body).map(([name, value]) => [name, asBefore(value, before[name])]));
    answered.add(await send({ ...request, body: mapTexts(before, (text) => lengthen(text, answered)) as Fields }));
  }
}

function lengthen(text: string, answered: AnsweredValues): string {
  if (text === "%" || text.endsWith(";base64,%")) return text.replace("%", png(64, 64));
  const [, kind, digits] = /^([~@])(\d+)$/.exec(text) ?? [];
  if (kind === "~") return filler(Number(digits));
  return kind === "@" ? answered.at(Number(digits)) : text;
}
