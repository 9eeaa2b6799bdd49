// The audit log: who changed what gives power or moves money.

/** An entry, as `GET /api/v1/audit` writes it. Amounts are USD. */
export interface AuditEntry {
  id: string;
  /** Such as `key.changed`; more kinds may be added. */
  kind: string;
  /** ISO 8601. */
  createdAt: string;
  actor: AuditActor;
  /** Null once it is erased, for what the service or its operator did, and for a key without the scope `account`. */
  from: { address: string; device: string } | null;
  /** The id of the key, session, endpoint or withdrawal, or the wallet's address. */
  subject: string | null;
  before: AuditFields | null;
  after: AuditFields | null;
  /** Its place in the log of the whole service; null for a second. */
  sequence: number | null;
  /** SHA-256 over the digest before it and its own content; null without a place. */
  digest: string | null;
}

export type AuditFields = Record<string, string | number | boolean | string[] | null>;

/** Only its kind for a key without the scope `account`. */
export type AuditActor =
  | { kind: "session"; sessionId?: string; chain?: string; address?: string }
  | { kind: "wallet"; chain?: string; address?: string }
  | { kind: "link" }
  | { kind: "operator" }
  | { kind: "service"; job?: string };

export interface AuditQuery {
  group?: "session" | "wallet" | "account" | "key" | "endpoint" | "alarm" | "withdrawal";
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Entries of a page, 1 to 1,000; 100 unless given. */
  limit?: number;
}

export interface AuditPage {
  object: "list";
  /** The newest first. */
  data: AuditEntry[];
  /** Null on the last page. */
  nextCursor: string | null;
  requestId: string;
}
