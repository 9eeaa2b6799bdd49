// Which other processes are dead, as one process observes it. An unchanged row proves death only while the observer itself reaches the
// database without a break. After a break (the observer was frozen, the database was unavailable) every observation starts anew, because
// the same cause may have stopped the others.

/** Another process, as read by a heartbeat. */
export interface ProcessRow {
  id: string;
  /** Opaque: only a change matters. */
  beat: string;
}

/** A dead process whose holds are now due to be freed. */
export interface DueSweep extends ProcessRow {
  isFirst: boolean;
  /** The row can be removed after this sweep. */
  isLast: boolean;
}

/** In milliseconds. */
export interface ObservationTimes {
  /** A break: a heartbeat of the observer that arrives later than this after the previous one. */
  maxGapMs: number;
  /** A process is dead when its row is unchanged for this long. */
  deadAfterMs: number;
  /** A dead process is swept repeatedly: its last statements may commit late. */
  sweepEveryMs: number;
  /** When a row is unchanged for this long, no statement of its process can commit any more. */
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
  /** Monotonic; -Infinity when nothing has been observed since the last break. */
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
   * A heartbeat of the observer succeeded and read `rows`, those of all other processes. `sentAt` and `receivedAt` are monotonic: the
   * rows had this content at some moment between the two.
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
