// GET /api/v1/deposits: the deposits to the account's addresses, newest first, page by page.

import { createHash } from "node:crypto";
import { z } from "zod";
import type { AccountId } from "@/lib/base/ids";
import { writeJson } from "@/lib/base/json";
import { type Deposit, listDeposits } from "@/lib/wallets/deposits/deposit";
import { authenticateReader, limit } from "../http/caller";
import { endpoint, jsonReply } from "../http/endpoint";
import { readCursor, readQuery, rowLimit, writeCursor } from "../http/query";
import { invalidRequest } from "../http/request";
import { type DepositPage, deposit as schema } from "../openapi/answers/account";
import { pickFields } from "../openapi/answers/fields";

export const deposits = endpoint("deposits", async (request) => {
  const caller = await authenticateReader(request);
  await limit(request, caller);
  const { limit: most, cursor } = readQuery(request.query, querySchema);
  const after = cursor === undefined ? undefined : readPosition(cursor, caller.accountId);
  const found = await listDeposits(caller.accountId, { limit: most + 1, after });
  const rows = found.slice(0, most);
  const last = found.length > most ? rows.at(-1) : undefined;
  const nextCursor = last ? writePosition(last, caller.accountId) : null;
  const body: DepositPage = { rows: rows.map((row) => pickFields(schema, row)), nextCursor };
  return jsonReply(request, 200, writeJson(body));
});

const querySchema = z.strictObject({ limit: rowLimit, cursor: z.string().optional() });

const cursorSchema = z.strictObject({
  /** Hash of the account that the listing belongs to. */
  of: z.string(),
  /** The last row: when it was seen, Unix milliseconds, and its id. */
  seenAtMs: z.int().min(0).max(253_402_300_799_999),
  id: z.string().regex(/^[\x21-\x7e]{1,200}$/),
});

const markOf = (accountId: AccountId): string => createHash("sha256").update(`deposits ${accountId}`).digest("base64url");

const writePosition = ({ seenAt, id }: Deposit, accountId: AccountId): string =>
  writeCursor({ of: markOf(accountId), seenAtMs: seenAt.getTime(), id } satisfies z.infer<typeof cursorSchema>);

/** @throws AppError INVALID_REQUEST when it is not one of ours, or another account's */
function readPosition(text: string, accountId: AccountId): Pick<Deposit, "seenAt" | "id"> {
  const cursor = readCursor(text, cursorSchema);
  if (cursor?.of === markOf(accountId)) return { seenAt: new Date(cursor.seenAtMs), id: cursor.id };
  const message = "is invalid. Send nextCursor unchanged, or omit it to start from the first page";
  throw invalidRequest([{ path: "cursor", message }]);
}
