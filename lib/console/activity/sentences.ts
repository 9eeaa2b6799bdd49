// Each entry of the audit log in one sentence for its owner.

import type { AuditEntry, AuditFields, AuditValue } from "@/lib/audit/entries";
import type { AuditKind } from "@/lib/audit/kinds";
import { displayAddress, type WalletChain } from "@/lib/chains/wallet";

type Fields = Readonly<Record<string, AuditValue | undefined>>;

const keyOf = ({ name, last4 }: Fields, subject: string): string => (name ? `“${name}”${last4 ? ` (…${last4})` : ""}` : subject);

const walletOf = ({ chain, address }: Fields): string =>
  typeof address === "string" ? displayAddress({ chain: chain as WalletChain, address }) : "A wallet";

const kinds: Readonly<Record<string, string>> = { webhook: "webhook", chat: "Slack or Discord channel" };

function endpointOf({ kind, email, host }: Fields, subject: string): string {
  if (kind === "email") return `Email address ${email ?? (host ? `at ${host}` : subject)}`;
  return `The ${kinds[String(kind)] ?? "destination"} ${host ? `at ${host}` : subject}`;
}

/** A text to sign has three paragraphs: who asks whom, what for, and the details. */
function statementOf({ text }: Fields): string {
  const [, statement] = typeof text === "string" ? text.split("\n\n") : [];
  return statement ? `: ${statement.replace(/\.$/, "")}` : " an action";
}

const endReasons: Readonly<Record<string, string>> = {
  signed_out: "was signed out",
  ended: "was ended",
  everywhere: "was ended with all other sessions",
  replaced: "ended because its browser signed in again",
  unlinked: "ended because its wallet is being unlinked",
  absorbed: "ended because its account was merged into another one",
  too_many: "ended because its wallet has more than 50 sessions",
  expired: "expired",
  idle: "expired because it was not used",
  closed: "ended because the account was closed",
  deleted: "was deleted",
};

const because = ({ reason }: Fields): string => (reason ? `: ${String(reason).replace(/\.$/, "")}` : "");

const sentences: Readonly<Record<AuditKind, (fields: Fields, subject: string) => string>> = {
  "session.opened": (fields) => `${walletOf(fields)} signed in.`,
  "session.confirmed": (fields) => `${walletOf(fields)} signed${statementOf(fields)}.`,
  "session.ended": (fields) => `A session of ${walletOf(fields)} ${endReasons[String(fields.reason)] ?? "ended"}.`,
  "wallet.linked": (fields) => `${walletOf(fields)} ${fields.isFirst ? "opened the account" : "was linked. It can sign in"}.`,
  "wallet.leaving": (fields) => `${walletOf(fields)} will be unlinked in 24 hours.`,
  "wallet.kept": (fields) => `${walletOf(fields)} was kept.`,
  "wallet.unlinked": (fields) => `${walletOf(fields)} was unlinked.`,
  "account.absorbed": (_, subject) => `The unused account ${subject} was merged into this one.`,
  "account.frozen": () => "The account was frozen and cannot spend.",
  "account.unfrozen": () => "The account was unfrozen and can spend again.",
  "account.closed": () => "The account was closed.",
  "account.reopened": () => "The account was reopened by signing in.",
  "account.limits_changed": () => "The account’s limits changed.",
  "key.created": (fields, subject) => `Key ${keyOf(fields, subject)} was created.`,
  "key.changed": (fields, subject) => `Key ${keyOf(fields, subject)} was changed.`,
  "key.secret_rotated": (fields, subject) => `Key ${keyOf(fields, subject)} got a new secret.`,
  "key.old_secret_ended": (fields, subject) => `The old secret of key ${keyOf(fields, subject)} was revoked.`,
  "key.paused": (fields, subject) => `Key ${keyOf(fields, subject)} was paused.`,
  "key.resumed": (fields, subject) => `Key ${keyOf(fields, subject)} was resumed.`,
  "key.revoked": (fields, subject) => `Key ${keyOf(fields, subject)} was revoked.`,
  "endpoint.created": (fields, subject) => `${endpointOf(fields, subject)} was added.`,
  "endpoint.changed": (fields, subject) => `${endpointOf(fields, subject)} was changed.`,
  "endpoint.secret_rotated": (fields, subject) => `${endpointOf({ ...fields, kind: "webhook" }, subject)} got a new secret.`,
  "endpoint.deleted": (fields, subject) => `${endpointOf(fields, subject)} was deleted.`,
  "alarm.changed": () => "The threshold of the low balance alert changed.",
  "withdrawal.ordered": (_, subject) => `Withdrawal ${subject} was requested.`,
  "withdrawal.cancelled": (_, subject) => `Withdrawal ${subject} was cancelled.`,
  "withdrawal.approved": (_, subject) => `Withdrawal ${subject} was approved.`,
  "withdrawal.refused": (fields, subject) => `Withdrawal ${subject} was declined${because(fields)}.`,
  "withdrawal.rules_changed": () => "Your withdrawal rules changed.",
  "process.started": () => "A process of the service started.",
  "pepper.changed": () => "The service’s pepper changed.",
  "relayer.changed": () => "The service’s relayer changed.",
  "settlement.deployed": () => "The settlement contract was deployed.",
};

/** `now` is what its subject is called now: an entry has a name only where that changed, and until it is erased. */
export const activitySentence = (
  { kind, before, after, subject }: Pick<AuditEntry, "kind" | "before" | "after" | "subject">,
  now: Fields = {},
): string => sentences[kind]({ ...now, ...known(before), ...known(after) }, subject ?? "");

const known = (fields: AuditFields | null): Fields =>
  Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => value !== null));
