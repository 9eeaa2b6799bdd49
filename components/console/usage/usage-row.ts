/** A charge as lists show it; `cost` in nano-USD. */
export interface UsageRow {
  requestId: string;
  at: Date;
  model: string;
  key: string;
  isKeyRevoked: boolean;
  inputTokens: number;
  outputTokens: number;
  cost: bigint;
  outcome: string;
  streamed: boolean;
}

export const count = (value: number): string => value.toLocaleString("en-US");

/** What became of the answer, when it is not whole. */
export const outcomeText: Readonly<Record<string, string>> = { partial: "broke off", cancelled: "cancelled" };
