// The operation that lists an account's events.

import { writeJson } from "@/lib/base/json";
import { type EventTypeName, eventTypes } from "@/lib/events/catalogue";
import { readEventData } from "@/lib/events/event-data";
import type { Examples } from "../examples";
import { answersOf, jsonOf, needsKey, success } from "../operation";
import type { OpenApiDocument, Operation, Parameter } from "../types";
import { query, rowsOnAPage } from "./account";

const exampleId = "evt_19ab4c5d6e7f8091a2b3c4d5e6f70a1";

/** An event of this type, as it is sent. */
const exampleEvent = (type: EventTypeName, createdAt: string): unknown =>
  JSON.parse(
    writeJson({
      id: exampleId,
      sequence: 42,
      type,
      createdAt,
      data: readEventData(type, eventTypes[type].example),
    }),
  );

export const listEvents = ({ at }: Examples): Operation => ({
  operationId: "listEvents",
  tags: ["Account"],
  summary: "List events",
  description:
    "What happened to the account, oldest first: deposits, withdrawals, payments, wallets, keys, low balances and models. Kept for 30 days. Needs a key with the scope account.",
  security: needsKey,
  parameters: [rowsOnAPage, query("after", "The ID of the last event you have. Default: start with the oldest event.", { type: "string" })],
  responses: answersOf(
    success(
      "One page.",
      jsonOf("EventList", {
        low: {
          summary: "The balance fell below the threshold",
          value: { object: "list", data: [exampleEvent("balance.low", at)], hasMore: false },
        },
      }),
    ),
    "key",
  ),
});

const header = (name: string, description: string, example: string): Parameter => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
  example,
});

const signedHeaders: readonly Parameter[] = [
  header("webhook-id", "The event's ID.", exampleId),
  header("webhook-timestamp", "When this attempt was sent, Unix seconds.", "1795429860"),
  header(
    "webhook-signature",
    "Signed per Standard Webhooks 1.0: v1, a comma and the HMAC-SHA256 of ID, timestamp and body, joined by dots, in base64. For 24 hours after the secret is replaced, two signatures separated by a space.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
];

/** The bodies sent to a webhook, by type of event. */
export const webhooks = ({ at }: Examples): OpenApiDocument["webhooks"] =>
  Object.fromEntries(
    (Object.keys(eventTypes) as EventTypeName[]).map((type) => [
      type,
      {
        post: {
          operationId: `on_${type.replaceAll(".", "_")}`,
          tags: ["Account"],
          summary: type,
          description: eventTypes[type].when,
          parameters: signedHeaders,
          requestBody: { required: true, content: jsonOf("Event", { sample: { summary: "A sample", value: exampleEvent(type, at) } }) },
          responses: { "2XX": { description: "Received. Any other response is a failed attempt; 410 disables the endpoint." } },
        },
      },
    ]),
  );
