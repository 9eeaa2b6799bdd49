/** One side of a charge: `tokens` at `price` are `due`; nano-USD. */
interface CostLine {
  side: "input" | "output";
  tokens: number;
  price: bigint;
  due: bigint;
}

interface RequestOfKey {
  requestId: string;
  key: string;
  isKeyRevoked: boolean;
  at: Date;
}

export interface ChargedReceipt extends RequestOfKey {
  state: "charged";
  model: string;
  provider: string;
  cachedInputTokens: number;
  reasoningTokens: number;
  lines: readonly CostLine[];
  /** What the tokens come to; `cost` was paid of it, and the operator bears `borne`. */
  due: bigint;
  cost: bigint;
  borne: bigint;
  priceVersion: string;
  outcome: string;
  estimated: boolean;
  streamed: boolean;
  paidBy: string;
  /** The wallet's payment that came with it, nano-USD; null when a balance paid. */
  payment: { network: string; payer: string; amount: bigint; transaction: string | null } | null;
  firstTokenMs: number | null;
  providerMs: number;
}

export interface HeldReceipt extends RequestOfKey {
  state: "in_progress";
  ceiling: bigint;
  deadline: Date;
}

export type Receipt = ChargedReceipt | HeldReceipt;
