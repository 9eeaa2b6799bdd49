// Bytes that arrive in pieces: a client may send each in a piece of its own, which would cost hundreds of bytes to keep.

const SMALL_BYTES = 4_096;
const SLAB_BYTES = 16_384;

export class BytePieces {
  readonly #pieces: Uint8Array[] = [];
  /** Where small pieces are copied to, and how much of it is full. */
  #slab: Buffer | undefined;
  #filled = 0;

  push(piece: Uint8Array): void {
    // The first one is often the only one.
    if (this.#pieces.length === 0 || piece.length >= SMALL_BYTES) {
      this.#endSlab();
      this.#pieces.push(piece);
      return;
    }
    if (this.#slab && this.#filled + piece.length > SLAB_BYTES) this.#endSlab();
    this.#slab ??= Buffer.allocUnsafeSlow(SLAB_BYTES);
    this.#slab.set(piece, this.#filled);
    this.#filled += piece.length;
  }

  #endSlab(): void {
    if (this.#slab) this.#pieces.push(this.#slab.subarray(0, this.#filled));
    this.#slab = undefined;
    this.#filled = 0;
  }

  /** How many objects hold the bytes. */
  get count(): number {
    return this.#pieces.length + (this.#slab ? 1 : 0);
  }

  /** All bytes; without a copy when they came in one piece. */
  join(): Buffer {
    this.#endSlab();
    const [first] = this.#pieces;
    if (this.#pieces.length === 1 && first) return Buffer.from(first.buffer, first.byteOffset, first.length);
    return Buffer.concat(this.#pieces);
  }

  clear(): void {
    this.#pieces.length = 0;
    this.#slab = undefined;
    this.#filled = 0;
  }
}
