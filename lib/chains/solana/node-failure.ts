// Failures of calls to Solana nodes. A node's URL may contain an API key, so no message here contains one.

/** A refusal that every node would give: a transaction that would fail, or an invalid parameter. */
export class SolanaRefusal extends Error {
  constructor(
    /** The RPC error code: -32002 when a simulation failed, -32602 for parameters. */
    readonly code: number,
    message: string,
    /** For a failed simulation: the RPC's error, and the programs' logs. */
    readonly simulation: { err: unknown; logs: readonly string[] } | null = null,
  ) {
    super(message);
    this.name = "SolanaRefusal";
  }
}

/** True for a SolanaRefusal of any copy of this module; `instanceof` fails between Next's bundles. */
export const isSolanaRefusal = (error: unknown): error is SolanaRefusal => error instanceof Error && error.name === "SolanaRefusal";

/** No node gave a usable answer. A later retry may succeed. */
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

/** Why one node was skipped. */
export class NodeFailure extends Error {
  constructor(
    reason: string,
    /** Milliseconds for which other nodes are tried first. */
    readonly restMs: number,
  ) {
    super(reason);
    this.name = "NodeFailure";
  }
}

/** True for a NodeFailure of any copy of this module: the code that calls a node may be in another bundle than the nodes. */
export const isNodeFailure = (error: unknown): error is NodeFailure => error instanceof Error && error.name === "NodeFailure";
