// The interface of a chain watcher, and the outcome of a round.

export type WatchReport =
  /** Another watcher has, or just took, the lease. */
  | { outcome: "elsewhere" }
  /** The head is in doubt. Nothing was written. */
  | { outcome: "doubtful"; doubt: string }
  /** No node answered completely; everything read before is recorded. */
  | { outcome: "failed"; kind: string }
  /** The chain has none of the kept blocks, of which `block` is the newest: the operator must investigate. */
  | { outcome: "lost"; block: number }
  | {
      outcome: "read";
      /** Blocks not read yet. */
      headLag: number;
      /** Blocks that must be read again. */
      reorgDepth: number;
      found: number;
      credited: number;
      reversed: number;
    };

export interface Watcher {
  /** One round. Ends between two steps when `signal` aborts. */
  tick(signal?: AbortSignal): Promise<WatchReport>;
  /** Lets another watcher take over immediately. */
  release(): Promise<void>;
}
