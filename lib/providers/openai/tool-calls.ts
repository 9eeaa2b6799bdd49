// The tool calls of a chat completion. In a whole reply each entry is a call. In a stream a call comes in pieces, told apart
// by `index`; compatible servers leave it out, give every call the index 0, or repeat id and name in each piece.

import { z } from "zod";
import { randomBase62 } from "@/lib/base/ids";
import type { ToolCallEvent } from "../types";
import { malformed } from "../wire-value";

/** One entry of `tool_calls`, whole or a piece. Entries of other types than `function` carry fields of their own. */
export const openaiToolCallSchema = z.object({
  index: z.number().int().nullish(),
  id: z.string().nullish(),
  type: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});

type Piece = z.infer<typeof openaiToolCallSchema>;

/** @throws ProviderFailure malformed, when a call does not say which function */
export function readOpenAIToolCalls(calls: readonly Piece[]): ToolCallEvent[] {
  return calls.filter(isFunction).map((call, index) => firstPiece(call, index));
}

interface KnownCall {
  wireIndex: number | undefined;
  wireId: string | undefined;
  /** Undefined for a call of another type than `function`, whose pieces are passed over. */
  index: number | undefined;
}

/** Puts the pieces of one stream in order. */
export class ToolCallPieces {
  #known: KnownCall[] = [];
  #functions = 0;

  /**
   * Undefined for a piece that says nothing new.
   * @throws ProviderFailure malformed, when a call begins without the name of its function
   */
  read(piece: Piece): ToolCallEvent | undefined {
    const known = this.#find(piece);
    if (known === undefined) return this.#begin(piece);
    // A late id still tells pieces apart; the customer has been given another by then.
    known.wireId ??= piece.id || undefined;
    const text = piece.function?.arguments;
    return known.index === undefined || !text ? undefined : { type: "tool_call", index: known.index, arguments: text };
  }

  #begin(piece: Piece): ToolCallEvent | undefined {
    const index = isFunction(piece) ? this.#functions : undefined;
    const event = index === undefined ? undefined : firstPiece(piece, index);
    if (index !== undefined) this.#functions += 1;
    this.#known.push({ wireIndex: piece.index ?? undefined, wireId: piece.id || undefined, index });
    return event;
  }

  /** The call that a piece continues; undefined when it begins one. */
  #find(piece: Piece): KnownCall | undefined {
    const isNamed = Boolean(piece.function?.name);
    if (piece.index !== undefined && piece.index !== null) {
      const known = this.#known.findLast(({ wireIndex }) => wireIndex === piece.index);
      // Gemini's own chat completions give each of several calls the index 0, with its own id and name.
      const isOther = isNamed && piece.id && known?.wireId !== undefined && known.wireId !== piece.id;
      return isOther ? this.#known.findLast(({ wireId }) => wireId === piece.id) : known;
    }
    if (piece.id) {
      const known = this.#known.findLast(({ wireId }) => wireId === piece.id);
      if (known !== undefined || isNamed) return known;
    }
    return isNamed || !isFunction(piece) ? undefined : this.#known.at(-1);
  }
}

function isFunction({ type }: Piece): boolean {
  return !type || type === "function";
}

function firstPiece({ id, function: called }: Piece, index: number): ToolCallEvent {
  if (!called?.name) throw malformed("a tool call without the name of its function");
  return { type: "tool_call", index, id: id || `call_${randomBase62(24)}`, name: called.name, arguments: called.arguments ?? "" };
}
