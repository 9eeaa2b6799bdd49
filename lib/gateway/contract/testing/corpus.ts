// The corpus of the outside world: its folders, and what an entry of each holds. An entry is a file; its name says what it is about.

import { readdirSync, readFileSync } from "node:fs";
import { z } from "zod";

/** An address, or a client and its version. */
const source = z.string().min(10);

/** A request, as a public client sends it. */
const requestSchema = z.strictObject({
  source,
  dialect: z.enum(["chat", "messages", "responses"]),
  /** Without `model`. */
  body: z.record(z.string(), z.unknown()),
  /** Texts that reach every provider, in this order. */
  reaches: z.array(z.string()).optional(),
  refused: z.strictObject({ status: z.int(), message: z.string() }).optional(),
  /** Models that take no such input: they refuse it with 400. */
  except: z.array(z.string()).default([]),
});

const count = z.int().min(0).default(0);

/** The provider's counts in our terms: `input` includes the kinds of input, `output` includes reasoning. */
const usageSchema = z.strictObject({
  input: z.int(),
  output: z.int(),
  cached: count,
  written: count,
  written1h: count,
  image: count,
  reasoning: count,
});
export type CountedUsage = z.infer<typeof usageSchema>;

const saysSchema = z.strictObject({
  text: z.string().default(""),
  thinking: z.string().default(""),
  /** Thoughts that nobody can read. */
  redacted: count,
  calls: z.array(z.strictObject({ name: z.string(), arguments: z.unknown() })).default([]),
  finish: z.enum(["stop", "length", "tool_calls", "content_filter"]),
  stopSequence: z.string().optional(),
  /** `estimated`: the provider did not count, and our count is charged. */
  usage: z.union([usageSchema, z.literal("estimated")]),
});
export type Says = z.infer<typeof saysSchema>;

const failsSchema = z.strictObject({
  /** Ours, where nothing was delivered; a stream that has begun ends with INTERNAL_ERROR. */
  code: z.enum(["INTERNAL_ERROR", "PROVIDER_BUSY", "INVALID_REQUEST", "context_length_exceeded"]),
  /** In the message of the error. */
  words: z.string().optional(),
  /** The text that a stream delivers before it. */
  after: z.string().optional(),
});
export type Fails = z.infer<typeof failsSchema>;

/** A provider's reply. */
const replySchema = z
  .strictObject({
    source,
    format: z.enum(["openai", "openai-responses", "anthropic", "gemini"]),
    status: z.int().default(200),
    /** A JSON body; a text stands for itself. */
    whole: z.union([z.record(z.string(), z.unknown()), z.string()]).optional(),
    /** Server-sent events: an object is the data of one, a text stands for itself. */
    stream: z.array(z.union([z.record(z.string(), z.unknown()), z.string()])).optional(),
    /** The body arrives in pieces of that many bytes. */
    pieceBytes: z.int().optional(),
    says: saysSchema.optional(),
    fails: failsSchema.optional(),
  })
  .refine(({ whole, stream }) => whole !== undefined || stream !== undefined, "give a whole reply, a stream, or both")
  .refine(({ says, fails }) => (says === undefined) !== (fails === undefined), "say what arrives, or how it fails");
export type ReplyEntry = z.infer<typeof replySchema>;

function readFolder<Schema extends z.ZodType>(name: string, schema: Schema): (readonly [name: string, entry: z.infer<Schema>])[] {
  const folder = new URL(`../corpus/${name}/`, import.meta.url);
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => {
      const parsed = schema.safeParse(JSON.parse(readFileSync(new URL(file, folder), "utf8")));
      if (!parsed.success) throw new Error(`${name}/${file}: ${z.prettifyError(parsed.error)}`);
      return [file.replace(".json", ""), parsed.data] as const;
    });
}

export const readRequests = () => readFolder("requests", requestSchema);
export const readReplies = () => readFolder("replies", replySchema);
