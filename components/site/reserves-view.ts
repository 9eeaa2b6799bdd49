/** Reserves as pages show them; amounts are nano-USD. */
export interface ReservesFigures {
  at: Date;
  held: bigint;
  owed: bigint;
  customers: bigint;
  /** Of these, what lies at addresses that are no account's. */
  credits: bigint;
  coverage: string | null;
  places: readonly ReservesPlace[];
}

export interface ReservesPlace {
  chain: "base" | "solana";
  height: number;
  blockUrl: string | null;
  treasury: { address: string; url: string | null; amount: bigint };
  deposits: { addresses: number; amount: bigint };
}

export interface ReservesPoint {
  at: Date;
  held: bigint;
  owed: bigint;
}
