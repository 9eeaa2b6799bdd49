// The findings of the command palette in an account.

export interface AccountSearch {
  keys: readonly { id: string; name: string; display: string; state: string }[];
  requests: readonly { requestId: string; state: "running" | "charged" | "refused" | "failed" }[];
}
