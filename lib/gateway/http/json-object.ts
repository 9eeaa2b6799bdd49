// A JSON object in a body whose fields are the caller's own: a schema, or a tool's arguments. Only its form is checked, and a depth at which
// it can be serialised again for a provider. It is not copied: zod's record would take half a microsecond for each of its names.

import { z } from "zod";
import { isNestedWithin } from "@/lib/base/json";
import { isRecord } from "@/lib/providers/wire-value";

const MAX_LEVELS = 100;

export const jsonObject = z
  .custom<Record<string, unknown>>(isRecord, {
    error: ({ input }) => `${input === undefined ? "is required and " : ""}must be a JSON object`,
    abort: true,
  })
  .refine((value) => isNestedWithin(value, MAX_LEVELS), `is nested deeper than ${MAX_LEVELS} levels`)
  // For the document, which cannot see the values that a custom check lets through.
  .meta({ type: "object", propertyNames: { type: "string" }, additionalProperties: {} });
