// Events of an account: one schema for each type of event, made from the catalogue of events.

import { z } from "zod";
import { type EventField, type EventTypeName, eventTypes } from "@/lib/events/catalogue";
import type { AccountEvent } from "@/lib/events/outbox";
import * as field from "./fields";

const priceChange = z.object({
  kind: field.tokenKind,
  before: field.usd("The price per million tokens before."),
  after: field.usd("The price per million tokens now."),
  fromInputTokens: z
    .int()
    .min(1)
    .optional()
    .describe("Number of input tokens from which the price applies to the whole request. If absent, it applies to any number."),
});

function fieldSchema({ kind, description, isOptional }: EventField): z.ZodType {
  const schema = {
    usd: () => field.usd(description),
    count: () => field.count(description),
    time: () => z.iso.datetime({ offset: true }).describe(description),
    date: () => z.iso.date().describe(description),
    prices: () => z.array(priceChange).describe(description),
    text: () => z.string().describe(description),
  }[kind]();
  return isOptional ? schema.optional() : schema;
}

const eventOf = (type: EventTypeName) =>
  z.object({
    id: z.string().describe("The event's ID. Retries have the same ID."),
    sequence: z.int().min(1).describe("The event's number in the account, without gaps."),
    type: z.literal(type).describe(eventTypes[type].when),
    createdAt: field.time.describe("When it happened."),
    data: z
      .object(Object.fromEntries(Object.entries(eventTypes[type].fields).map(([name, of]) => [name, fieldSchema(of)])))
      .describe("What happened."),
  });

const [first, ...rest] = (Object.keys(eventTypes) as EventTypeName[]).map(eventOf);
if (!first) throw new Error("there are no types of events");

export const event = z.discriminatedUnion("type", [first, ...rest]);

export const eventList = z.object({
  object: z.literal("list").describe("Always list."),
  data: z.array(event).describe("Events, oldest first."),
  hasMore: z.boolean().describe("true if there are more. To get them, send the last ID as after."),
});

/** Read from the store: `type` may be of a newer release. */
type Event = Omit<field.AnswerOf<typeof event>, "type" | "data"> & Readonly<Pick<AccountEvent, "type" | "data">>;
export type EventList = Omit<field.AnswerOf<typeof eventList>, "data"> & { readonly data: readonly Event[] };
