// How asking a Solana node goes wrong. An address of a node may hold an API key: no message here names one.

/** A node's own refusal of what was asked, the same at every node: a transaction that would fail, a parameter that is none. */
export class SolanaRefusal extends Error {
  constructor(
    /** The RPC's number: -32002 when a simulation failed, -32602 for parameters. */
    readonly code: number,
    message: string,
    /** Of a simulation: why it failed, as the RPC writes it, and what the programs logged. */
    readonly simulation: { err: unknown; logs: readonly string[] } | null = null,
  ) {
    super(message);
    this.name = "SolanaRefusal";
  }
}

/** True for a SolanaRefusal of any copy of this module; `instanceof` fails between Next's bundles. */
export const isSolanaRefusal = (error: unknown): error is SolanaRefusal => error instanceof Error && error.name === "SolanaRefusal";

/** No node gave an answer that can be used. Asking again later may help. */
export class SolanaUnavailable extends Error {
  /** @param reasons one for each node, in the order of the list */
  constructor(method: string, reasons: readonly string[]) {
    super(`No Solana node answered ${method}: ${reasons.join("; ") || "none is set"}.`);
    this.name = "SolanaUnavailable";
  }
}

/** True for a SolanaUnavailable of any copy of this module. */
export const isSolanaUnavailable = (error: unknown): error is SolanaUnavailable =>
  error instanceof Error && error.name === "SolanaUnavailable";

/** Why one node was passed over. */
export class NodeFailure extends Error {
  constructor(
    reason: string,
    /** Milliseconds for which other nodes are asked first. */
    readonly restMs: number,
  ) {
    super(reason);
    this.name = "NodeFailure";
  }
}

/** True for a NodeFailure of any copy of this module: what is asked of a node may be written in another bundle than the nodes. */
export const isNodeFailure = (error: unknown): error is NodeFailure => error instanceof Error && error.name === "NodeFailure";
