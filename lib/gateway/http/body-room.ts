// Room in memory for large bodies (above MAX_BODY_BYTES), shared by all requests of the process. The announced length counts in its own
// account's share alone: there the body waits, unread, behind the account's other bodies. Of the room that all share a body takes only its
// bytes that have arrived, a MiB at a time, and an account or a network has at most as much as it leaves free: however many come, the next
// one finds some.

import { type GiveBack, Shares } from "@/lib/access/limits/shares";
import { processSingleton } from "@/lib/base/process-singleton";
import { MAX_BODY_BYTES, MAX_LARGE_BODY_BYTES } from "./body-sizes";

/**
 * Opens space for a large body, before it is read: one of at most so many bytes; null when there is none in time, or the client left.
 * @throws AppError when its sender may not send one
 */
export type OpenSpace = (mostBytes: number, gone: AbortSignal) => Promise<BodySpace | null>;

/** The part of its request that a large body needs while it is read. */
export interface BodyBounds {
  onEnd: (undo: () => void) => void;
  /** Where large bodies are read. */
  openSpace?: OpenSpace | undefined;
}

/** Whose body it is. */
interface Uploader {
  account: string;
  network: string;
  /** The account's balance pays. Nobody knows yet whether a payment that comes with the request does. */
  isFunded: boolean;
}

export interface BodyRoomOptions {
  /** In all. */
  bytes: number;
  /** Beside that, for the body that began first, as much as the largest one: so one always ends, however many wait in their middle. */
  reservedBytes: number;
  /** How long a body waits for its share, and in its middle for room; milliseconds. */
  waitMs: number;
}

const service: BodyRoomOptions = { bytes: 7 * MAX_LARGE_BODY_BYTES, reservedBytes: MAX_LARGE_BODY_BYTES, waitMs: 60_000 };

/** The largest bodies that may arrive for one account at once. */
const ARRIVING_OF_ONE = 3;

/** Who has how much of the room. */
class Tally {
  #freeBytes: number;
  readonly #ofOwner = new Map<string, number>();

  constructor(bytes: number) {
    this.#freeBytes = bytes;
  }

  get freeBytes(): number {
    return this.#freeBytes;
  }

  /** True when each of these owners would leave as much as it has. */
  leavesRoom(owners: readonly string[], bytes: number): boolean {
    const left = this.#freeBytes - bytes;
    return owners.every((owner) => (this.#ofOwner.get(owner) ?? 0) + bytes <= left);
  }

  /** Takes `bytes` for these owners; gives them back where the number is negative. */
  add(owners: readonly string[], bytes: number): void {
    this.#freeBytes -= bytes;
    for (const owner of owners) {
      const total = (this.#ofOwner.get(owner) ?? 0) + bytes;
      if (total > 0) this.#ofOwner.set(owner, total);
      else this.#ofOwner.delete(owner);
    }
  }
}

export class BodyRoom {
  readonly waitMs: number;
  readonly #reservedBytes: number;
  readonly #funded: Shares;
  readonly #unknown: Shares;
  readonly #all: Tally;
  /** Of bodies that have come whole: their requests end by themselves. */
  readonly #whole: Tally;
  /** The others, in the order in which they began. */
  readonly #arriving = new Set<BodySpace>();

  constructor(options: Partial<BodyRoomOptions> = {}) {
    const { bytes, reservedBytes, waitMs } = { ...service, ...options };
    this.waitMs = waitMs;
    this.#reservedBytes = reservedBytes;
    this.#all = new Tally(bytes);
    this.#whole = new Tally(bytes);
    const waits = { waitingOfOne: 1_000, waiting: 10_000, mostWaitMs: waitMs };
    this.#funded = new Shares({ places: Infinity, ofOne: ARRIVING_OF_ONE * reservedBytes, ...waits });
    this.#unknown = new Shares({ places: 2 * reservedBytes, ofOne: reservedBytes, ...waits });
  }

  /** Space for a body of at most so many bytes, in its account's share; null when the share is full for too long, or the client left. */
  async open({ account, network, isFunded }: Uploader, mostBytes: number, gone: AbortSignal): Promise<BodySpace | null> {
    const leave = await (isFunded ? this.#funded : this.#unknown).take(account, gone, mostBytes);
    if (!leave) return null;
    const space = new BodySpace(this, [`account ${account}`, `network ${network}`], { gone, leave });
    this.#arriving.add(space);
    return space;
  }

  /** True when the space may grow by so many bytes, which it has then. */
  grow(space: BodySpace, bytes: number): boolean {
    if (!this.#all.leavesRoom(space.owners, bytes) && !this.#mayUseReserve(space, bytes)) return false;
    this.#all.add(space.owners, bytes);
    return true;
  }

  /** To the first, others that are in their middle do not count: they may be waiting for its end. */
  #mayUseReserve(space: BodySpace, bytes: number): boolean {
    const [first] = this.#arriving;
    if (space !== first || this.#all.freeBytes + this.#reservedBytes < bytes) return false;
    return this.#whole.leavesRoom(space.owners, space.bytes + bytes);
  }

  /** The body is whole: it needs no more. */
  finish(space: BodySpace): void {
    if (!this.#arriving.delete(space)) return;
    this.#whole.add(space.owners, space.bytes);
    this.#wake();
  }

  /** A finished space is given back. */
  close({ owners, bytes }: BodySpace): void {
    this.#all.add(owners, -bytes);
    this.#whole.add(owners, -bytes);
    this.#wake();
  }

  #wake(): void {
    for (const space of this.#arriving) space.tryAgain();
  }
}

interface SpaceBounds {
  /** Aborts when the client is gone. */
  gone: AbortSignal;
  /** Gives its account's share back. */
  leave: GiveBack;
}

/** One body's part of the room. */
export class BodySpace {
  /** Each has at most as much as it leaves free. */
  readonly owners: readonly string[];
  readonly #room: BodyRoom;
  readonly #bounds: SpaceBounds;
  #bytes = 0;
  #isClosed = false;
  /** Set while it waits to grow. */
  #tryAgain: (() => void) | undefined;

  constructor(room: BodyRoom, owners: readonly string[], bounds: SpaceBounds) {
    this.#room = room;
    this.owners = owners;
    this.#bounds = bounds;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** True once there is room for a body of so many bytes; false when there was none in time, or the client left. */
  holdTo(bytes: number): boolean | Promise<boolean> {
    if (this.#grow(bytes)) return true;
    const { gone } = this.#bounds;
    return new Promise((resolve) => {
      const settle = (isGranted: boolean) => {
        clearTimeout(late);
        gone.removeEventListener("abort", leave);
        this.#tryAgain = undefined;
        resolve(isGranted);
      };
      const leave = () => settle(false);
      const late = setTimeout(leave, this.#room.waitMs);
      gone.addEventListener("abort", leave);
      this.#tryAgain = () => {
        if (this.#grow(bytes)) settle(true);
      };
      if (gone.aborted) leave();
    });
  }

  tryAgain(): void {
    this.#tryAgain?.();
  }

  /** By whole MiBs (MAX_BODY_BYTES): to ask for each chunk would be work for nothing. */
  #grow(bytes: number): boolean {
    const more = Math.ceil(bytes / MAX_BODY_BYTES) * MAX_BODY_BYTES - this.#bytes;
    if (more <= 0) return true;
    if (!this.#room.grow(this, more)) return false;
    this.#bytes += more;
    return true;
  }

  /** No more of the body comes. */
  finish(): void {
    this.#room.finish(this);
    this.#bounds.leave();
  }

  /** Gives everything back, at the end of the request; a second call does nothing. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.finish();
    this.#room.close(this);
  }
}

export const bodyRoom = processSingleton("room for large bodies", () => new BodyRoom());
