// The operation that lists an account's events.

import { writeJson } from "@/lib/base/json";
import { type EventTypeName, eventTypes, readEventData } from "@/lib/events/catalogue";
import type { Examples } from "../examples";
import { answersOf, jsonOf, keyedRefusals, needsKey, success } from "../operation";
import type { Operation } from "../types";
import { query, rowsOnAPage } from "./account";

/** An event of this type, as it is sent. */
const exampleEvent = (type: EventTypeName, createdAt: string): unknown =>
  JSON.parse(
    writeJson({
      id: "evt_19ab4c5d6e7f8091a2b3c4d5e6f70",
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
    "What happened to the account, the oldest first: deposits, withdrawals, payments, keys, and balances that ran low. Kept for 30 days.",
  security: needsKey,
  parameters: [rowsOnAPage, query("after", "The ID of the last event that you have. Default: from the oldest.", { type: "string" })],
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
    keyedRefusals,
  ),
});
