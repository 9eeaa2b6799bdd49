// A megabyte of body may hold half a million faults, which take seconds to list; and zod passes them on as call arguments, whose number is
// limited. Long bodies are cut after a few faulty items before they are parsed.

import type { z } from "zod";
import { isRecord } from "@/lib/providers/wire-value";
import type { GatewayRequest } from "../http/request";

const MAX_FAULTS = 20;
/** All faults of a shorter list are found in a tenth of a millisecond. */
const MAX_ITEMS_UNCUT = 100;
/** Shorter bodies hold a few thousand faults at most. */
const MAX_CHARACTERS_UNCUT = 16_384;

export const isLong = ({ bodyText, largeBody }: Pick<GatewayRequest, "bodyText" | "largeBody">): boolean =>
  largeBody !== undefined || bodyText.length > MAX_CHARACTERS_UNCUT;

/** The list up to its last faulty item that is worth listing; what is no list, or has no schema, as it is. */
export function cutFaults(list: unknown, item: z.ZodType | undefined): unknown {
  return Array.isArray(list) && item ? untilLastFault(list, (inner) => item.validate(inner)) : list;
}

/** The same of an object whose fields are all of one kind. */
export function cutFaultyFields(fields: unknown, value: z.ZodType): unknown {
  if (!isRecord(fields)) return fields;
  return Object.fromEntries(untilLastFault(Object.entries(fields), ([, inner]) => value.validate(inner)));
}

function untilLastFault<Item>(list: Item[], isGood: (item: Item) => boolean): Item[] {
  if (list.length <= MAX_ITEMS_UNCUT) return list;
  let faults = 0;
  const lastAt = list.findIndex((item) => !isGood(item) && ++faults === MAX_FAULTS);
  return lastAt < 0 ? list : list.slice(0, lastAt + 1);
}
