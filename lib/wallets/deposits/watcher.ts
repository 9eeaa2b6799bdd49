// A watcher of a chain as its job sees it, and how a round of it ended.

export type WatchReport =
  /** Another watcher has the lease, or took it meanwhile. */
  | { outcome: "elsewhere" }
  /** The head is not believed. Nothing was written. */
  | { outcome: "doubtful"; doubt: string }
  /** No node answered enough; what it had read before that is written. */
  | { outcome: "failed"; kind: string }
  /** The chain no longer has any block that was kept, the last of them `block`: an operator must look. */
  | { outcome: "lost"; block: number }
  | {
      outcome: "read";
      /** Blocks that are there and not read yet. */
      headLag: number;
      /** Blocks that were read and had to be read again. */
      reorgDepth: number;
      found: number;
      credited: number;
      reversed: number;
    };

export interface Watcher {
  /** One round. Ends between two steps when `signal` aborts. */
  tick(signal?: AbortSignal): Promise<WatchReport>;
  /** Lets another watcher take over at once. */
  release(): Promise<void>;
}
