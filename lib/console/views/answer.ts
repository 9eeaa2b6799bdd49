// How an owner's wish ends: done, or not, with a sentence that says what to do instead.

export interface Refusal {
  ok: false;
  message: string;
  /** The field of the form that is wrong, when it is one: `name`, `cap`. */
  field?: string;
}

/** What an action answers; bad input is never thrown. */
export type Answer<Result = object> = ({ ok: true } & Result) | Refusal;
