// GET /api/v1/events: the account's events, the oldest first, for a program that was away.

import { z } from "zod";
import { writeJson } from "@/lib/base/json";
import { eventBody, listEvents } from "@/lib/events/outbox";
import { authenticateReader, checkScope, limit } from "../http/caller";
import { endpoint, jsonReply } from "../http/endpoint";
import { readQuery, rowLimit } from "../http/query";
import { invalidRequest } from "../http/request";
import type { EventList } from "../openapi/answers/events";

export const events = endpoint("events", async (request) => {
  const caller = await authenticateReader(request);
  checkScope(caller, "account");
  await limit(request, caller);
  const { limit: most, after } = readQuery(request.query, querySchema);
  const found = await listEvents(caller.accountId, { afterId: after, limit: most + 1 });
  if (!found) {
    const message =
      "is not an event of this account, or is older than 30 days. Send the ID of a later event, or omit it to start from the oldest";
    throw invalidRequest([{ path: "after", message }]);
  }
  const body: EventList = { object: "list", data: found.slice(0, most).map(eventBody), hasMore: found.length > most };
  return jsonReply(request, 200, writeJson(body));
});

const querySchema = z.strictObject({ limit: rowLimit, after: z.string().max(100).optional() });
