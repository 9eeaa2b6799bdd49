// Fields that several vendors' dialects have: numbers in a range, how much a model thinks, and requests for something that is not done
// here.

import { z } from "zod";
import { reasoningEfforts } from "@/lib/providers/effort";

export function between(least: number, most: number) {
  const errorText = `must be from ${least} to ${most}`;
  return z.number().min(least, errorText).max(most, errorText);
}

export const effortFault = `must be ${reasoningEfforts.slice(0, -1).join(", ")} or ${reasoningEfforts.at(-1)}`;

export const reasoningEffort = z.enum(reasoningEfforts, effortFault);

/** A field that is refused, with what to do instead, unless it is absent, null or false, or asks for nothing by its value. */
export const refusedField = (errorText: string, asksForNothing: (value: unknown) => boolean = () => false) =>
  z
    .unknown()
    .refine((value) => value === undefined || value === null || value === false || asksForNothing(value), errorText)
    .optional();

/** For `omit`: documents leave such fields out. */
export const maskOf = <Fields extends object>(fields: Fields): { [Name in keyof Fields]: true } =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, true])) as { [Name in keyof Fields]: true };
