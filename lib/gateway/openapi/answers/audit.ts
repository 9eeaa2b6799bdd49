// The audit log as its owner reads it.

import { z } from "zod";
import { type AuditKind, auditKinds } from "@/lib/audit/kinds";

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
    z.object({ kind: z.literal("wallet").describe("A wallet that had just signed."), ...wallet }),
    z.object({ kind: z.literal("link").describe("Whoever opened a link that was sent to an e-mail address of yours.") }),
    z.object({ kind: z.literal("operator").describe("The operator of this service.") }),
    z.object({ kind: z.literal("service").describe("The service by itself."), job: z.string().optional().describe("What it was doing.") }),
  ])
  .describe("Who did it; only its kind for a key without the scope account.");

const fields = (text: string) =>
  z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]))
    .nullable()
    .describe(`${text} Amounts are in USD. Names, networks, hosts, e-mail addresses and signed texts are null once they are erased.`);

const auditEntry = z.object({
  id: z.string().describe("Identifies this entry."),
  kind: z.enum(Object.keys(auditKinds) as [AuditKind, ...AuditKind[]]).describe("What happened."),
  createdAt: z.iso.datetime().describe("When it happened."),
  actor,
  from: z
    .object({ address: z.string().describe("The network address."), device: z.string().describe("The browser, like Chrome on macOS.") })
    .nullable()
    .describe(
      "Where it came from. Erased after a while; null then, for what the service or its operator did, and for a key without the scope account.",
    ),
  subject: z.string().nullable().describe("The ID of the key, session, endpoint or withdrawal, or the wallet's address."),
  before: fields("What was so before; null where nothing was."),
  after: fields("What is so since; null where nothing is."),
  sequence: z.int().min(1).nullable().describe("Its place in the log of the whole service; null for a second, until it has one."),
  digest: z.string().nullable().describe("SHA-256 over the digest before it and its own content, in hexadecimal; null without a place."),
});

export const auditPage = z.object({
  object: z.literal("list").describe("Always list."),
  data: z.array(auditEntry).describe("Entries, the newest first."),
  nextCursor: z.string().nullable().describe("Send it as cursor to get the next page; null on the last one."),
});
