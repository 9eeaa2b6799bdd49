// Fields that the details of several errors share, each with its description.

import { z } from "zod";

/** In USD, as `text` says; for types its brand tells it from other numbers. */
export const amount = (text: string) => z.number().brand<"USD">().describe(text);

export const cost = z
  .object({
    inputCost: amount("Cost of the input tokens. In USD."),
    outputCost: amount("Cost of the output tokens. In USD."),
    totalCost: amount("What you were charged: the exact sum of both. In USD."),
  })
  .describe("What you were charged.");

/** The problems, field by field. */
export const issues = z.array(z.object({ path: z.string().describe("The field."), message: z.string().describe("What it must be.") }));

export const retryAfterMs = z.int().min(0).describe("Milliseconds to wait. Retry-After says the same in seconds.");
