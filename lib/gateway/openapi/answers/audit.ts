// The audit log as its owner reads it.

import { z } from "zod";
import { type AuditKind, auditKinds } from "@/lib/audit/kinds";
import * as field from "./fields";

const wallet = {
  chain: z.string().optional().describe("evm or solana."),
  address: z.string().optional().describe("The wallet's address."),
};

const actor = z
  .discriminatedUnion("kind", [
    z.object({
      kind: z.literal("session").describe("Who was signed in."),
      sessionId: z.string().optional().describe("The session."),
      ...wallet,
    }),
    z.object({ kind: z.literal("wallet").describe("A wallet that signed the change."), ...wallet }),
    z.object({ kind: z.literal("link").describe("Someone who opened a link in an email to one of your addresses.") }),
    z.object({ kind: z.literal("operator").describe("The operator of this service.") }),
    z.object({ kind: z.literal("service").describe("The service itself."), job: z.string().optional().describe("The job that did it.") }),
  ])
  .describe("Who did it. A key without the scope account only sees the kind.");

const fields = (text: string) =>
  z
    .record(z.string(), z.union([z.string(), field.numberOrUsd, z.boolean(), z.array(z.string()), z.null()]))
    .nullable()
    .describe(`${text} Amounts are in USD. Names, networks, hosts, email addresses and signed texts are null once they are deleted.`);

const auditEntry = z.object({
  id: z.string().describe("Identifies this entry."),
  kind: z.enum(Object.keys(auditKinds) as [AuditKind, ...AuditKind[]]).describe("What happened."),
  createdAt: field.time.describe("When it happened."),
  actor,
  from: z
    .object({ address: z.string().describe("The IP address."), device: z.string().describe("The browser, such as Chrome on macOS.") })
    .nullable()
    .describe(
      "Where it came from. null once deleted, for changes by the service or its operator, and for a key without the scope account.",
    ),
  subject: z.string().nullable().describe("The ID of the key, session, endpoint or withdrawal, or the wallet's address."),
  before: fields("The values before; null if there were none."),
  after: fields("The values after; null if there are none."),
  sequence: z
    .int()
    .min(1)
    .nullable()
    .describe("Its position in the log of the whole service; null for up to a second, until it is assigned."),
  digest: z
    .string()
    .nullable()
    .describe("SHA-256 of the previous digest and this entry's content, in hexadecimal; null without a sequence."),
});

export const auditPage = z.object({
  object: z.literal("list").describe("Always list."),
  data: z.array(auditEntry).describe("Entries, newest first."),
  nextCursor: z.string().nullable().describe("Send it as cursor to get the next page; null on the last one."),
});

export type AuditPage = field.AnswerOf<typeof auditPage>;
