// Which other processes are dead, as one process observes it. A row that stands still proves death only while the observer itself
// reaches the database without a break: after a break (the observer was frozen, the database was away) every observation starts anew,
// because the others may have been stopped by the same cause.

/** Another process, as a heartbeat read it. */
export interface ProcessRow {
  id: string;
  /** Opaque: it only matters whether it changed. */
  beat: string;
}

/** A dead process, for which the time has come to free what it had set aside. */
export interface DueSweep extends ProcessRow {
  isFirst: boolean;
  /** After this one the row can go. */
  isLast: boolean;
}

/** In milliseconds. */
export interface ObservationTimes {
  /** The observer's own heartbeats are broken when one arrives later than this after the one before. */
  maxGapMs: number;
  /** A process is dead when its row has stood still for so long. */
  deadAfterMs: number;
  /** A dead process is swept again and again: its last statements may commit late. */
  sweepEveryMs: number;
  /** When a row has stood still for so long, nothing of its process can commit any more. */
  removeAfterMs: number;
}

interface Observation {
  beat: string;
  /** Monotonic. */
  unchangedSince: number;
  /** Monotonic; when the last sweep was due. */
  sweptAt?: number;
}

export class ProcessObserver {
  readonly #times: ObservationTimes;
  #observations = new Map<string, Observation>();
  /** Monotonic; -Infinity when nothing was observed since the last break. */
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(times: ObservationTimes) {
    this.#times = times;
  }

  /** A heartbeat of the observer failed. */
  break(): void {
    this.#observations.clear();
    this.#lastAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * A heartbeat of the observer succeeded and read `rows`, all of the other processes. `sentAt` and `receivedAt` are monotonic: the
   * rows were so at some moment between the two.
   */
  observe(rows: readonly ProcessRow[], { sentAt, receivedAt }: { sentAt: number; receivedAt: number }): DueSweep[] {
    if (receivedAt - this.#lastAt > this.#times.maxGapMs) this.break();
    this.#lastAt = receivedAt;
    const before = this.#observations;
    this.#observations = new Map();
    const due: DueSweep[] = [];
    for (const { id, beat } of rows) {
      const known = before.get(id);
      const observation = known?.beat === beat ? known : { beat, unchangedSince: receivedAt };
      this.#observations.set(id, observation);
      const sweep = this.#sweepDue(observation, sentAt);
      if (sweep !== null) due.push({ id, beat, ...sweep });
    }
    return due;
  }

  #sweepDue(observation: Observation, at: number): Pick<DueSweep, "isFirst" | "isLast"> | null {
    const { deadAfterMs, sweepEveryMs, removeAfterMs } = this.#times;
    const unchangedMs = at - observation.unchangedSince;
    const { sweptAt } = observation;
    if (unchangedMs < deadAfterMs || (sweptAt !== undefined && at - sweptAt < sweepEveryMs)) return null;
    observation.sweptAt = at;
    return { isFirst: sweptAt === undefined, isLast: unchangedMs >= removeAfterMs };
  }
}
