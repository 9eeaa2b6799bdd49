// The content blocks of a streamed message, as Anthropic's events: one is open at a time, and each is opened once.

import type { ReasoningBlock } from "@/lib/providers/conversation/messages";
import type { ModelRoute } from "@/lib/providers/model-route";
import type { OutputPiece } from "../prompt/completion";

export const writeEvent = (type: string, fields: string): string => `event: ${type}\ndata: {"type":"${type}"${fields}}\n\n`;

export type SealedBlock = Pick<ReasoningBlock, "kind" | "data" | "id"> & { madeBy?: ModelRoute | undefined };
export type Seal = (block: SealedBlock) => string;

type CallPiece = Extract<OutputPiece, { type: "tool_call" }>;

interface OpenBlock {
  type: OutputPiece["type"];
  /** Of its kind. */
  index: number;
  thought?: SealedBlock;
  /** Of a call, how much of its input came. */
  input?: ObjectScan;
}

/** Follows a text that is one JSON object, piece by piece. */
class ObjectScan {
  isWhole = false;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  add(text: string): void {
    for (const character of text) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#isInString) {
        if (character === "\\") this.#isEscaped = true;
        else if (character === '"') this.#isInString = false;
      } else if (character === '"') this.#isInString = true;
      else if (character === "{") this.#depth += 1;
      else if (character === "}") {
        this.#depth -= 1;
        this.isWhole ||= this.#depth <= 0;
      }
    }
  }
}

/** The content blocks of one stream, in the order in which their pieces come; one is open at a time. */
export class BlockEvents {
  readonly #seal: Seal;
  #count = 0;
  #open: OpenBlock | undefined;
  /** Pieces of calls that came before an earlier call was whole. */
  #waiting: CallPiece[] = [];

  constructor(seal: Seal) {
    this.#seal = seal;
  }

  write(piece: OutputPiece): string {
    switch (piece.type) {
      case "text":
        return this.#enter("text", 0, () => `{"type":"text","text":""}`) + this.#delta(`"text_delta","text":${JSON.stringify(piece.text)}`);
      case "tool_call":
        return this.#writeCall(piece);
      case "reasoning":
        return this.#writeThought(piece);
    }
  }

  /**
   * A block that was closed cannot be opened again: pieces of another call wait for the rest of this one, like the empty input of a call
   * that OpenAI's form tells at the end only.
   */
  #writeCall(piece: CallPiece): string {
    const { index, id, name, arguments: text } = piece;
    if (this.#open?.input && this.#open.index !== index && !this.#open.input.isWhole) {
      this.#waiting.push(piece);
      return "";
    }
    const start = () => `{"type":"tool_use","id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"input":{}}`;
    let events = this.#enter("tool_call", index, start);
    if (text !== "") events += this.#delta(`"input_json_delta","partial_json":${JSON.stringify(text)}`);
    if (!this.#open) return events;
    this.#open.input ??= new ObjectScan();
    this.#open.input.add(text);
    return this.#open.input.isWhole ? events + this.#writeWaiting() : events;
  }

  #writeWaiting(): string {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting.map((piece) => this.#writeCall(piece)).join("");
  }

  #writeThought(piece: Extract<OutputPiece, { type: "reasoning" }>): string {
    const thought: SealedBlock = { kind: piece.kind, data: piece.data ?? "", id: piece.id, madeBy: piece.madeBy };
    if (piece.kind === "redacted") {
      return this.#enter("reasoning", piece.index, () => `{"type":"redacted_thinking","data":${JSON.stringify(this.#seal(thought))}}`);
    }
    const entered = this.#enter("reasoning", piece.index, () => `{"type":"thinking","thinking":"","signature":""}`);
    if (this.#open) {
      const { data, id } = this.#open.thought ?? thought;
      this.#open.thought = { ...thought, data: data || thought.data, id: id ?? thought.id };
    }
    return piece.text === "" ? entered : entered + this.#delta(`"thinking_delta","thinking":${JSON.stringify(piece.text)}`);
  }

  /** Closes the open block and opens this one, unless it is open. */
  #enter(type: OutputPiece["type"], index: number, start: () => string): string {
    if (this.#open?.type === type && this.#open.index === index) return "";
    const closed = this.close();
    this.#open = { type, index };
    return closed + writeEvent("content_block_start", `,"index":${this.#count},"content_block":${start()}`);
  }

  #delta(fields: string): string {
    return writeEvent("content_block_delta", `,"index":${this.#count},"delta":{"type":${fields}}`);
  }

  /** Closes the open block, and writes all calls that wait, each in one piece. */
  close(): string {
    let events = this.#closeOpen();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const index of new Set(waiting.map((piece) => piece.index))) {
      for (const piece of waiting.filter((one) => one.index === index)) events += this.#writeCall(piece);
      events += this.#closeOpen();
    }
    return events;
  }

  /** A thought is signed at its end: only then is its data complete. */
  #closeOpen(): string {
    if (!this.#open) return "";
    const { thought } = this.#open;
    const signed = thought ? this.#delta(`"signature_delta","signature":${JSON.stringify(this.#seal(thought))}`) : "";
    this.#open = undefined;
    return signed + writeEvent("content_block_stop", `,"index":${this.#count++}`);
  }
}
