// The data of an event as it is stored, read as it is shown: amounts as nano-USD, times as dates.

import { z } from "zod";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { kindNames } from "@/lib/base/tokens/token-kinds";
import { type EventField, eventTypes, isEventType, type PriceChange } from "./catalogue";

const storedAmount = z.string().transform((text) => nanoUsd(BigInt(text)));

const storedPrices = z.array(
  z.object({
    kind: z.enum(kindNames),
    before: storedAmount,
    after: storedAmount,
    fromInputTokens: z.int().optional(),
  }),
);

export type EventValue = string | number | NanoUsd | Date | readonly PriceChange[];

/** Stored data as it is shown: amounts as nano-USD, times as dates. Fields of a type that a newer release wrote stay texts. */
export function readEventData(type: string, stored: Readonly<Record<string, unknown>>): Record<string, EventValue> {
  const fields = isEventType(type) ? eventTypes[type].fields : {};
  return Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, readValue(fields[name]?.kind, value)]));
}

function readValue(kind: EventField["kind"] | undefined, value: unknown): EventValue {
  if (kind === "usd") return nanoUsd(BigInt(String(value)));
  if (kind === "time") return new Date(String(value));
  if (kind === "prices") return storedPrices.parse(value);
  return kind === "count" ? Number(value) : String(value);
}
