// GET /api/v1/audit: changes of power or money, and who made them, the newest first. A key that reads only its own gets the entries about
// itself, without who made them and from where.

import { z } from "zod";
import { entryBody, listEntries } from "@/lib/audit/entries";
import { auditGroups } from "@/lib/audit/kinds";
import { writeJson } from "@/lib/base/json";
import { authenticateReader, limit } from "../http/caller";
import { endpoint, jsonReply } from "../http/endpoint";
import { readCursor, readQuery, rowLimit, writeCursor } from "../http/query";
import { invalidRequest } from "../http/request";
import type { AuditPage } from "../openapi/answers/audit";

export const audit = endpoint("audit", async (request) => {
  const caller = await authenticateReader(request);
  await limit(request, caller);
  const { limit: most, group, cursor } = readQuery(request.query, querySchema);
  const before = cursor === undefined ? undefined : readCursor(cursor, cursorSchema)?.before;
  const readsAll = caller.scopes.includes("account");
  const subject = readsAll ? undefined : (caller.keyId ?? "");
  const isForeign = cursor !== undefined && before === undefined;
  const found = isForeign ? null : await listEntries(caller.accountId, { before, group, subject, limit: most + 1 });
  if (!found) {
    const message = "is invalid. Send nextCursor unchanged, or omit it to start with the newest entry";
    throw invalidRequest([{ path: "cursor", message }]);
  }
  const page = found.slice(0, most);
  const last = found.length > most ? page.at(-1) : undefined;
  const body: AuditPage = {
    object: "list",
    data: page.map((entry) => entryBody(entry, !readsAll)),
    nextCursor: last ? writeCursor({ before: last.id }) : null,
  };
  return jsonReply(request, 200, writeJson(body));
});

const querySchema = z.strictObject({ limit: rowLimit, group: z.enum(auditGroups).optional(), cursor: z.string().max(200).optional() });
const cursorSchema = z.strictObject({ before: z.string().regex(/^aud_[0-9a-f]{20,40}$/) });
