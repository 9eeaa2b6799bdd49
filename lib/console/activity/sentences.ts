// Each entry of the audit log in one sentence for its owner, and what it changed, field by field.

import type { AuditEntry, AuditFields, AuditValue } from "@/lib/audit/entries";
import type { AuditKind } from "@/lib/audit/kinds";
import { formatUsd, type NanoUsd } from "@/lib/base/money";
import { displayAddress, type WalletChain } from "@/lib/chains/wallet";
import type { ActivityChange } from "../views/activity";

type Fields = Readonly<Record<string, AuditValue | undefined>>;

const keyOf = ({ name, last4 }: Fields): string => (name ? `“${name}”${last4 ? ` (…${last4})` : ""}` : "A key");

const walletOf = ({ chain, address }: Fields): string =>
  typeof address === "string" ? displayAddress({ chain: chain as WalletChain, address }) : "A wallet";

function endpointOf({ kind, email, host }: Fields): string {
  if (kind === undefined) return "An endpoint";
  return kind === "email" ? `E-mail address ${email ?? `at ${host}`}` : `The ${kind} at ${host}`;
}

const endReasons: Readonly<Record<string, string>> = {
  signed_out: "was signed out",
  ended: "was ended",
  everywhere: "was ended with all others",
  replaced: "ended: its browser signed in again",
  unlinked: "ended: its wallet leaves the account",
  absorbed: "ended: its account was merged into another",
  expired: "ran out",
  idle: "ran out unused",
  closed: "ended: the account was closed",
  deleted: "was deleted",
};

const because = ({ reason }: Fields): string => (reason ? `: ${reason}` : "");

const sentences: Readonly<Record<AuditKind, (fields: Fields, subject: string) => string>> = {
  "session.opened": (fields) => `${walletOf(fields)} signed in.`,
  "session.confirmed": (fields) => `${walletOf(fields)} signed an action.`,
  "session.ended": (fields) => `A session of ${walletOf(fields)} ${endReasons[String(fields.reason)] ?? "ended"}.`,
  "wallet.linked": (fields) => `${walletOf(fields)} ${fields.isFirst ? "opened the account" : "was linked. It can sign in"}.`,
  "wallet.leaving": (fields) => `${walletOf(fields)} will be unlinked in 24 hours.`,
  "wallet.kept": (fields) => `${walletOf(fields)} stays linked.`,
  "wallet.unlinked": (fields) => `${walletOf(fields)} was unlinked.`,
  "account.absorbed": (_, subject) => `The unused account ${subject} was merged into this one.`,
  "account.frozen": () => "The account was frozen. It cannot spend.",
  "account.unfrozen": () => "The account can spend again.",
  "account.closed": () => "The account was closed.",
  "account.reopened": () => "The account was opened again by signing in.",
  "account.limits_changed": () => "The account’s limits changed.",
  "key.created": (fields) => `Key ${keyOf(fields)} was created.`,
  "key.changed": (fields, subject) => `Key ${fields.name ? keyOf(fields) : subject} was changed.`,
  "key.secret_rotated": (fields) => `Key ${keyOf(fields)} got a new secret.`,
  "key.old_secret_ended": (fields) => `The old secret of key ${keyOf(fields)} was ended.`,
  "key.paused": (fields) => `Key ${keyOf(fields)} was paused.`,
  "key.resumed": (fields) => `Key ${keyOf(fields)} was resumed.`,
  "key.revoked": (fields) => `Key ${keyOf(fields)} was revoked.`,
  "endpoint.created": (fields) => `${endpointOf(fields)} was added.`,
  "endpoint.changed": (_, subject) => `Endpoint ${subject} was changed.`,
  "endpoint.secret_rotated": ({ host }) => `The webhook${host ? ` at ${host}` : ""} got a new secret.`,
  "endpoint.deleted": (fields) => `${endpointOf(fields)} was deleted.`,
  "alarm.changed": () => "The threshold of the low balance alert changed.",
  "withdrawal.ordered": (_, subject) => `Withdrawal ${subject} was ordered.`,
  "withdrawal.cancelled": (_, subject) => `Withdrawal ${subject} was cancelled.`,
  "withdrawal.approved": (_, subject) => `Withdrawal ${subject} was approved.`,
  "withdrawal.refused": (fields, subject) => `Withdrawal ${subject} was declined${because(fields)}.`,
  "withdrawal.rules_changed": () => "Your rules for withdrawals changed.",
  "process.started": () => "A process of the service started.",
  "pepper.changed": () => "The service’s pepper changed.",
  "relayer.changed": () => "The service’s relayer changed.",
  "settlement.deployed": () => "The settlement contract was deployed.",
};

export const activitySentence = ({ kind, before, after, subject }: Pick<AuditEntry, "kind" | "before" | "after" | "subject">): string =>
  sentences[kind]({ ...before, ...after }, subject ?? "");

/** Kinds whose sentence leaves out what changed. */
const isChange = /^(key\.(changed|created)|endpoint\.(changed|created)|alarm\.changed|account\.limits_changed|withdrawal\.rules_changed)$/;

const fieldNames: Readonly<Record<string, string>> = {
  name: "Name",
  expiresAt: "Expires",
  cap: "Cap",
  capPeriod: "Cap counts by",
  models: "Models",
  scopes: "May",
  networks: "Networks",
  clipMinTokens: "Clips down to",
  alarmFactor: "Alarm above usual, times",
  alarmAbove: "Alarm from",
  alarmPauses: "Alarm pauses",
  types: "Events",
  state: "State",
  disabledReason: "Why it is off",
  lowBalance: "Threshold",
  ratePerMinute: "Requests a minute",
  concurrency: "Requests at once",
  dailyLimit: "A day",
  waitSeconds: "Waiting time",
  destinations: "Destinations",
};

/** What is different, in the order of its names; of what is new, only what limits it. */
export function activityChanges({ kind, before, after }: Pick<AuditEntry, "kind" | "before" | "after">): ActivityChange[] {
  if (!isChange.test(kind)) return [];
  return Object.entries(fieldNames)
    .filter(([name]) => isThere(before, name) || isThere(after, name))
    .filter(([name]) => kind.endsWith("changed") || !["name", "state"].includes(name))
    .map(([name, text]) => ({ name: text, before: valueText(name, before?.[name]), after: valueText(name, after?.[name]) }))
    .filter((change) => change.before !== change.after);
}

const isThere = (fields: AuditFields | null, name: string): boolean => fields !== null && Object.hasOwn(fields, name);

const emptyLists: Readonly<Record<string, string>> = { networks: "anywhere", types: "all", destinations: "every linked wallet" };

function valueText(name: string, value: AuditValue | undefined): string {
  if (name === "models" && value === null) return "all";
  if (value === null || value === undefined) return "none";
  if (typeof value === "bigint") return formatUsd(value as NanoUsd);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (name === "waitSeconds") return value === 0 ? "none" : `${Number(value) / 3_600} hours`;
  if (name === "expiresAt") return String(value).slice(0, 10);
  if (typeof value === "object") return value.length > 0 ? value.join(", ") : (emptyLists[name] ?? "none");
  return String(value);
}
