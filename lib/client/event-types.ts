// What happened to an account: the events of webhooks and of their list.

/** An event, as webhooks and `GET /api/v1/events` write it. Amounts are USD. */
export interface WebhookEvent {
  /** The same whenever the event is sent again. */
  id: string;
  /** Counts the account's events, without gaps. */
  sequence: number;
  /** Such as `balance.low`; more types may be added. */
  type: string;
  /** ISO 8601. */
  createdAt: string;
  data: Record<string, string | number>;
}

export interface EventQuery {
  /** The id of the last event that you have; from the oldest unless given. */
  after?: string;
  /** Events of a page, 1 to 1,000; 100 unless given. */
  limit?: number;
}

export interface EventList {
  object: "list";
  /** The oldest first; kept for 30 days. */
  data: WebhookEvent[];
  /** True when there are more: send the last id as `after`. */
  hasMore: boolean;
  requestId: string;
}
