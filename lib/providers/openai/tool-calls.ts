// The pieces of tool calls in a stream, assigned to their calls. `index` distinguishes the calls; compatible servers omit it, give every call
// the index 0, or repeat id and name in each piece. A call is handed on once its name is certain to be whole: it may come in a later piece
// than the id, or in several.

import type { FinishReason, ToolCallEvent } from "../types";
import type { ToolCallPiece } from "./message";
import { emptyArguments, firstPiece } from "./reply";

interface KnownCall extends ToolCallPiece {
  /** False for a call of another type than `function`, whose pieces are ignored. */
  isFunction: boolean;
  /** Its position among the calls that were handed on; undefined until it is. */
  position: number | undefined;
  hasArguments: boolean;
}

const none: readonly ToolCallEvent[] = [];

export class ToolCallPieces {
  readonly #known: KnownCall[] = [];
  #begun = 0;

  read(piece: ToolCallPiece, isFunction: boolean): ToolCallEvent[] {
    const known = this.#find(piece, isFunction);
    if (known === undefined) {
      const events = this.flush();
      const call = { ...piece, isFunction, position: undefined, hasArguments: false };
      this.#known.push(call);
      return [...events, ...this.#handOn(call)];
    }
    // A late id still distinguishes pieces; once the call was handed on, the customer has received another id.
    known.id ??= piece.id;
    // Some servers repeat the name in each piece, others send it in pieces.
    if (known.position === undefined && piece.name !== known.name) known.name += piece.name;
    known.arguments += piece.arguments;
    return this.#handOn(known);
  }

  /** Hands on the calls that wait for their arguments, before anything else of the answer. */
  flush(): readonly ToolCallEvent[] {
    if (this.#known.length === this.#begun) return none;
    return this.#known.flatMap((call) => (call.position === undefined && call.name !== "" ? this.#begin(call) : []));
  }

  /**
   * The end of the answer.
   * @throws ProviderFailure malformed, when a call does not name its function
   */
  end(reason: FinishReason): ToolCallEvent[] {
    const events: ToolCallEvent[] = [];
    for (const call of this.#known) {
      // A piece with neither a name nor arguments is no call.
      if (!call.isFunction || (call.name === "" && call.arguments === "")) continue;
      if (call.position === undefined) events.push(...this.#begin(call), ...this.#handOn(call));
      const rest = emptyArguments(reason);
      if (!call.hasArguments && rest !== "") events.push({ type: "tool_call", index: call.position ?? 0, arguments: rest });
    }
    return events;
  }

  /** Arguments follow a name: it is whole by then. */
  #handOn(call: KnownCall): ToolCallEvent[] {
    if (call.arguments === "" || call.name === "") return [];
    const events = call.position === undefined ? this.#begin(call) : [];
    if (call.position === undefined) return [];
    const text = call.arguments;
    call.arguments = "";
    call.hasArguments = true;
    return [...events, { type: "tool_call", index: call.position, arguments: text }];
  }

  #begin(call: KnownCall): ToolCallEvent[] {
    if (!call.isFunction) return [];
    const event = firstPiece(call, this.#begun);
    call.position = this.#begun++;
    return [event];
  }

  /** The call that a piece continues; undefined when the piece begins one. */
  #find(piece: ToolCallPiece, isFunction: boolean): KnownCall | undefined {
    const isNamed = piece.name !== "";
    if (piece.index !== undefined) {
      const known = this.#known.findLast(({ index }) => index === piece.index);
      // Gemini's own chat completions give several calls the same index 0, each with its own id and name; others give them no id.
      const hasOtherId = isNamed && piece.id !== undefined && known?.id !== undefined && known.id !== piece.id;
      if (hasOtherId) return this.#known.findLast(({ id }) => id === piece.id);
      const hasOtherName = isNamed && piece.id === undefined && known?.position !== undefined && known.name !== piece.name;
      return hasOtherName ? undefined : known;
    }
    const last = this.#known.at(-1);
    if (piece.id !== undefined) {
      const known = this.#known.findLast(({ id }) => id === piece.id);
      // An id alone begins a call as well, whose name comes later.
      if (known !== undefined || isNamed || (last?.id !== undefined && piece.arguments === "")) return known;
    }
    if (!isFunction) return undefined;
    return isNamed && last?.name !== "" ? undefined : last;
  }
}
