// Requests and answers of the service, by the names that the client has for them. Amounts are USD, as JSON numbers of at most 9 decimals,
// exact up to a million; to add them without rounding convert to whole nano-USD, `Math.round(amount * 1e9)`. Fields may be added, never
// changed. api-types.ts explains each field.

import type * as api from "./api-types";

export type { ErrorDetails, Model, PromptAnswer } from "./api-types";

/** An answer, with the id of the request that it answers. */
type Answered<Answer> = Answer & { requestId: string };

export type PromptRequest = Omit<api.PromptBody, "stream">;
/** Pays for one prompt instead of the balance; create it with `signPayment`. */
export type Payment = NonNullable<api.PromptBody["payment"]>;
/** The payment that came with a request, and its change. */
export type PaymentMade = NonNullable<api.PromptAnswer["payment"]>;
export type TokenUsage = api.PromptAnswer["usage"];
export type Cost = api.PromptAnswer["cost"];
export type StreamEvent = { type: "delta"; text: string } | { type: "done"; answer: api.PromptAnswer };

export type EmbeddingRequest = Omit<api.EmbeddingBody, "input" | "user"> & {
  /** A text, several, or their tokens. */
  input: string | string[] | number[] | number[][];
};
export type Embeddings = Answered<api.EmbeddingList>;

export type Quote = Answered<api.Quote>;
export type PaymentTerms = Answered<api.PaymentTerms>;

export type ModelList = Answered<api.ModelList>;
export type ModelPrice = api.Model["prices"][number];
export type TokenKind = ModelPrice["kind"];

export type Balance = Answered<api.Balance>;
export type OpenWithdrawal = api.Balance["withdrawals"][number];

/** The cost of a request and its reasons, or its hold while it runs. A request that failed and cost nothing has no receipt. */
export type Receipt = api.Receipt;
export type ChargeReceipt = Extract<Receipt, { state: "charged" }>;
export type HoldReceipt = Extract<Receipt, { state: "in_progress" }>;
/** Cached tokens, cache writes and images are parts of the input, reasoning is part of the output. */
export type UsageInKinds = ChargeReceipt["usage"];
export type TokenPrices = ChargeReceipt["pricing"];
export type Outcome = ChargeReceipt["outcome"];

export type Grouping = api.UsagePage["groupBy"][number];
export type Groupings = readonly [Grouping, ...Grouping[]];
/** Selects charges. A day like `2026-01-31` or an instant like `2026-01-31T09:30:00Z`. */
export type UsageQuery<GroupBy extends Groupings | undefined = Groupings | undefined> = Omit<api.GetUsageQuery, "groupBy"> & {
  /** Groups charges into sums. Days are UTC. */
  groupBy?: GroupBy;
};
/** One charged request; `request(requestId)` has the whole receipt. */
export type UsageRequest = Extract<api.UsagePage["rows"][number], { requestId: string }>;
/** The sums of the charges that share the grouped fields. */
export type UsageGroup = Exclude<api.UsagePage["rows"][number], { requestId: string }>;
export type UsageSums = api.UsagePage["totals"];
/** A query's rows: sums when it groups, otherwise single requests. */
export type UsageRow<GroupBy extends Groupings | undefined> = GroupBy extends Groupings ? UsageGroup : UsageRequest;
export type UsagePage<Row = UsageGroup | UsageRequest> = Answered<Omit<api.UsagePage, "rows"> & { rows: Row[] }>;

export type DepositQuery = api.ListDepositsQuery;
export type DepositPage = Answered<api.DepositPage>;
export type Deposit = api.DepositPage["rows"][number];
export type DepositState = Deposit["state"];

/** An event, as webhooks and the list of events write it. More types may be added. */
export type WebhookEvent = api.Event;
export type EventQuery = api.ListEventsQuery;
export type EventList = Answered<api.EventList>;

export type AuditQuery = api.ListAuditQuery;
export type AuditPage = Answered<api.AuditPage>;
/** An entry of the audit log. More kinds may be added. */
export type AuditEntry = api.AuditPage["data"][number];
/** Only its kind for a key without the scope `account`. */
export type AuditActor = AuditEntry["actor"];
export type AuditFields = NonNullable<AuditEntry["before"]>;
