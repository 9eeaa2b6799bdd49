// Fields of vendors' dialects that ask for what is not done here.

import { z } from "zod";

/** A field that is refused, with what to do instead, unless it is absent, null or false, or asks for nothing by its value. */
export const refusedField = (errorText: string, asksForNothing: (value: unknown) => boolean = () => false) =>
  z
    .unknown()
    .refine((value) => value === undefined || value === null || value === false || asksForNothing(value), errorText)
    .optional();

/** For `omit`: documents leave such fields out. */
export const maskOf = <Fields extends object>(fields: Fields): { [Name in keyof Fields]: true } =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, true])) as { [Name in keyof Fields]: true };
