// The signed-in account in brief, as every page of the console follows it. Amounts are nano-USD.

/** Each text changes whenever its part of the account does, and says nothing else. */
export interface AccountMarks {
  charges: string;
  /** The keys, and the account's own settings. */
  keys: string;
  deposits: string;
  withdrawals: string;
  /** The events, and the endpoints that hear of them. */
  events: string;
}

export interface AccountView {
  /** Unix milliseconds, on the clock that all processes share. */
  readAtMs: number;
  available: bigint;
  /** The amount that running requests hold. */
  reserved: bigint;
  marks: AccountMarks;
}
