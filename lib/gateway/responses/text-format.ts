// The form of a response's text: plain, any JSON, or the JSON of a schema.

import { z } from "zod";
import type { ResponseFormat } from "@/lib/providers/types";
import { jsonObject } from "../http/json-object";

const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -");

export const textFormat = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("text") }),
    z.object({ type: z.literal("json_object") }),
    z.object({
      type: z.literal("json_schema"),
      name,
      description: z.string().nullish(),
      schema: jsonObject,
      strict: z.boolean().nullish(),
    }),
  ],
  "must be text, json_object or json_schema",
);

export type TextFormat = z.infer<typeof textFormat>;

export function readFormat(format: TextFormat | null | undefined): ResponseFormat | undefined {
  if (!format || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json_object" };
  const { description, schema, strict } = format;
  return { type: "json_schema", name: format.name, description: description ?? undefined, schema, strict: strict ?? undefined };
}
