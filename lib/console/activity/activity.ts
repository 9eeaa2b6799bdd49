// The activity page as its owner sees it: the account's part of the audit log.

import { z } from "zod";
import { listKeyNames } from "@/lib/access/key-names";
import { type AuditActor, type AuditEntry, type AuditFields, listEntries } from "@/lib/audit/entries";
import { auditGroups } from "@/lib/audit/kinds";
import { config } from "@/lib/base/config";
import { displayAddress, type WalletChain } from "@/lib/chains/wallet";
import { listEndpoints } from "@/lib/events/endpoints";
import type { Owner } from "../owner";
import type { ActivityAddress, ActivityEntry, ActivityView } from "../views/activity";
import { activityChanges } from "./changes";
import { activitySentence } from "./sentences";

const PAGE_ROWS = 25;

const address = z.object({
  group: z.enum(auditGroups).nullable().catch(null),
  before: z
    .string()
    .regex(/^aud_[0-9a-f]{20,40}$/)
    .nullable()
    .catch(null),
}) satisfies z.ZodType<ActivityAddress>;

export type ActivityQuery = z.infer<typeof address>;

/** Reads the page's URL; unreadable parts are ignored. */
export function readActivityQuery(params: Readonly<Record<string, string | string[] | undefined>>): ActivityQuery {
  const first = Object.entries(params).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]);
  return address.parse(Object.fromEntries(first));
}

/** One page, the newest first. A place that is not the account's counts as the beginning. */
export async function readActivity(owner: Owner, { group, before }: ActivityQuery): Promise<ActivityView> {
  const query = { group: group ?? undefined, limit: PAGE_ROWS + 1 };
  const found = await listEntries(owner.accountId, { ...query, before: before ?? undefined });
  const entries = found ?? (await listEntries(owner.accountId, query)) ?? [];
  const shown = entries.slice(0, PAGE_ROWS);
  const names = await readNames(owner, shown);
  return {
    entries: shown.map((entry) => viewEntry(entry, owner, names.get(entry.subject))),
    older: entries.length > PAGE_ROWS ? (shown.at(-1)?.id ?? null) : null,
    personalDays: config().AUDIT_PERSONAL_DAYS,
  };
}

/** The present names of the keys and endpoints of these entries, by id. */
async function readNames({ accountId }: Owner, entries: readonly AuditEntry[]): Promise<Map<string | null, AuditFields>> {
  const about = (group: string) => entries.filter(({ kind }) => kind.startsWith(group)).flatMap(({ subject }) => subject ?? []);
  const [keys, endpoints] = await Promise.all([
    listKeyNames(accountId, about("key.")),
    about("endpoint.").length > 0 ? listEndpoints(accountId) : [],
  ]);
  return new Map<string | null, AuditFields>([
    ...keys.map(({ keyId, name, last4 }) => [keyId, { name, last4 }] as const),
    ...endpoints.map(
      ({ id, kind, target }) => [id, { kind, ...(kind === "email" ? { email: target } : { host: new URL(target).host }) }] as const,
    ),
  ]);
}

function viewEntry(entry: AuditEntry, owner: Owner, name: AuditFields | undefined): ActivityEntry {
  const { id, at, kind, actor, from, after } = entry;
  const signed = kind === "session.confirmed" && typeof after?.text === "string" ? after.text : null;
  return {
    id,
    at,
    kind,
    signed,
    sentence: activitySentence(entry, name),
    by: actorText(actor, owner),
    from: from && `${from.device}, ${from.address}`,
    changes: activityChanges(entry),
  };
}

function actorText(actor: AuditActor, { sessionId }: Owner): string {
  switch (actor.kind) {
    case "session":
      return `${actor.sessionId === sessionId ? "This session" : "A session"} of ${walletText(actor)}`;
    case "wallet":
      return walletText(actor);
    case "link":
      return "A link in an email";
    case "operator":
      return "The operator";
    case "service":
      return "The service";
  }
}

function walletText({ chain, address: stored }: { chain: string; address: string }): string {
  const shown = displayAddress({ chain: chain as WalletChain, address: stored });
  return `${shown.slice(0, 6)}…${shown.slice(-4)}`;
}

const names = {
  session: "Sessions and signatures",
  wallet: "Wallets",
  account: "Account",
  key: "Keys",
  endpoint: "Alert destinations",
  alarm: "Low balance alert",
  withdrawal: "Withdrawals",
} as const satisfies Record<(typeof auditGroups)[number], string>;

/** The choices that narrow the page. */
export const activityChoices: readonly { value: string; text: string }[] = auditGroups.map((group) => ({
  value: group,
  text: names[group],
}));
