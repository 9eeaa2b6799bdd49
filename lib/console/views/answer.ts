// The outcome of an owner's action: done, or refused with a sentence that says what to do instead.

import type { NamedWallet } from "./wallet";

export interface Refusal {
  ok: false;
  message: string;
  /** The wrong field of the form, if any: `name`, `cap`. */
  field?: string;
  /** It is done once a linked wallet has signed this: one line that names it, and our seal on that line. `except` cannot sign it. */
  confirm?: { statement: string; seal: string; except: readonly NamedWallet[] };
}

/** The result of an action; bad input is never thrown. */
export type Answer<Result = object> = ({ ok: true } & Result) | Refusal;
