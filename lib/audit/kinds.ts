// The kinds of entries in the audit log. Triggers write most entries, with the change itself (prisma/functions/*/audit.sql); the others are
// written by `recordAudit`.

/** Each kind, and when an entry of it is written. */
export const auditKinds = {
  "session.opened": "a wallet signed in",
  "session.confirmed": "a wallet signed an action; `text` is what it signed",
  "session.ended": "a session was signed out, ended or ran out",
  "wallet.linked": "a wallet was linked to the account, or opened it",
  "wallet.leaving": "a wallet is to be unlinked in 24 hours",
  "wallet.kept": "a wallet that was leaving stays",
  "wallet.unlinked": "a wallet is no longer the account's",
  "account.absorbed": "an unused account was merged into this one",
  "account.frozen": "the operator stopped the account from spending",
  "account.unfrozen": "the operator lets the account spend again",
  "account.closed": "the owner closed the account",
  "account.reopened": "the owner signed in to a closed account, which opened it",
  "account.limits_changed": "the operator changed the account's limits",
  "key.created": "an API key was created",
  "key.changed": "an API key's name, limits, scopes, networks or alarm changed",
  "key.secret_rotated": "an API key got a new secret",
  "key.old_secret_ended": "an API key's old secret was ended early",
  "key.paused": "an API key was paused, by its owner or its alarm",
  "key.resumed": "an API key may spend again",
  "key.revoked": "an API key was revoked",
  "endpoint.created": "an endpoint for alerts was added",
  "endpoint.changed": "an endpoint's events or state changed",
  "endpoint.secret_rotated": "a webhook got a new secret",
  "endpoint.deleted": "an endpoint was deleted",
  "alarm.changed": "the threshold of the low balance alert changed",
  "withdrawal.ordered": "a withdrawal was ordered",
  "withdrawal.cancelled": "a withdrawal was cancelled by its owner",
  "withdrawal.approved": "the operator approved a withdrawal",
  "withdrawal.refused": "the operator refused a withdrawal",
  "withdrawal.rules_changed": "the owner's own rules for withdrawals changed",
  "process.started": "a process of the service started",
  "pepper.changed": "a process started with another pepper than the one before it",
  "relayer.changed": "the process with the seed started with another key of the relayer",
  "settlement.deployed": "the operator deployed the settlement contract",
} as const;

export type AuditKind = keyof typeof auditKinds;

export const isAuditKind = (kind: string): kind is AuditKind => Object.hasOwn(auditKinds, kind);

/** What the kinds of an account's entries begin with. */
export const auditGroups = ["session", "wallet", "account", "key", "endpoint", "alarm", "withdrawal"] as const;

export type AuditGroup = (typeof auditGroups)[number];
