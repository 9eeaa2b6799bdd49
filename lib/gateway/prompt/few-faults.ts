// A megabyte of body may hold half a million faults, which take seconds to list; and zod passes them on as call arguments, whose number is
// limited. Long bodies are cut after a few faulty items before they are parsed.

import type { z } from "zod";
import type { GatewayRequest } from "../http/request";

const MAX_FAULTS = 20;
/** Shorter bodies hold a few thousand faults at most. */
const MAX_CHARACTERS_UNCUT = 16_384;

export const isLong = ({ bodyText, largeBody }: Pick<GatewayRequest, "bodyText" | "largeBody">): boolean =>
  largeBody !== undefined || bodyText.length > MAX_CHARACTERS_UNCUT;

/** The list up to its last faulty item that is worth listing; what is no list, or has no schema, as it is. */
export function cutFaults(list: unknown, item: z.ZodType | undefined): unknown {
  if (!Array.isArray(list) || !item) return list;
  let faults = 0;
  const lastAt = list.findIndex((inner) => !item.validate(inner) && ++faults === MAX_FAULTS);
  return lastAt < 0 ? list : list.slice(0, lastAt + 1);
}
