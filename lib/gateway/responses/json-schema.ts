// A JSON Schema in a body: checked for its form only, and for a depth that can be serialised again for a provider.

import { z } from "zod";
import { isNestedWithin } from "@/lib/base/json";

const MAX_LEVELS = 100;

export const isJsonSchema = z
  .record(z.string(), z.unknown())
  .refine((schema) => isNestedWithin(schema, MAX_LEVELS), `is nested deeper than ${MAX_LEVELS} levels`);
