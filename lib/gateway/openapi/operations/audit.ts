// The operation that lists an account's entries of the audit log.

import { auditGroups } from "@/lib/audit/kinds";
import type { Examples } from "../examples";
import { answersOf, jsonOf, needsKey, success } from "../operation";
import type { Operation } from "../types";
import { query, rowsOnAPage } from "./account";

export const listAudit = ({ at }: Examples): Operation => ({
  operationId: "listAudit",
  tags: ["Account"],
  summary: "List the audit log",
  description:
    "Changes to sessions, wallets, keys, alerts and withdrawals, newest first: who made them, and the values before and after. A key without the scope account only sees entries about itself, and of who made them only the kind.",
  security: needsKey,
  parameters: [
    rowsOnAPage,
    query("group", "Only entries of this group.", { type: "string", enum: [...auditGroups] }, "key"),
    query("cursor", "nextCursor of the previous page.", { type: "string" }),
  ],
  responses: answersOf(
    success(
      "One page.",
      jsonOf("AuditPage", {
        cap: {
          summary: "A raised spending limit",
          value: {
            object: "list",
            data: [
              {
                id: "aud_19ab4c5d6e7f8091a2b3c4d5e6f70a1",
                kind: "key.changed",
                createdAt: at,
                actor: {
                  kind: "session",
                  sessionId: "ses_0WAqXk3eB1c2D3e4F5g6",
                  chain: "evm",
                  address: "0x52908400098527886e0f7030069857d2e4169ee7",
                },
                from: { address: "192.0.2.7", device: "Chrome on macOS" },
                subject: "key_0WAqXk3eB1c2D3e4F5g6",
                before: { cap: 10 },
                after: { cap: 50 },
                sequence: 1042,
                digest: "9f0c1d2e3b4a59687786a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0",
              },
            ],
            nextCursor: null,
          },
        },
      }),
    ),
    "key",
  ),
});
