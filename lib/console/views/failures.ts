// Refused and failed requests, as the usage page lists them.

/** Charged: paid for. Refused: 4xx, the caller can mend it. Failed: 5xx, and streams that broke off. */
export const statuses = ["charged", "refused", "failed"] as const;
export type RequestStatus = (typeof statuses)[number];

export interface FailureRow {
  requestId: string;
  /** When the request began: rows are sorted by it. */
  startedAt: Date;
  /** Null when the request failed before its model was read. */
  model: string | null;
  key: string;
  status: number;
  code: string;
  /** What the code means, and what to do. */
  title: string;
  fix: string;
  /** The charge for the delivered part, nano-USD; 0 if nothing was charged; null while that is not known. */
  cost: bigint | null;
}

export interface FailuresView {
  rows: FailureRow[];
  /** The last row, when there is another page after it. */
  older: string | null;
  /** The counts of the requests that the filter selects. Without a model and a key in it, those that are only counted are included. */
  counts: Record<Exclude<RequestStatus, "charged">, number>;
  /** Of the listed kind, in the filter's days: more in a minute than are listed. `isInCounts`: they are part of `counts`. */
  unlisted: { count: number; isInCounts: boolean };
}
