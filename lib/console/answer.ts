// The outcome of an owner's action: done, or refused with a sentence that says what to do instead.

import { type ZodType, z } from "zod";
import { isTooLong, type TextLimit, textLimits, tooLongText } from "@/lib/base/typed/text-limits";
import type { Refusal } from "./views/answer";

export const refuse = (message: string, field?: string): Refusal => ({ ok: false, message, ...(field && { field }) });

/** The refusal of actions that give power, for an owner who may only take it away: see `Owner.isFrozen`. */
export const frozenRefusal = (): Refusal =>
  refuse(
    "This account is frozen, or the wallet you signed in with is being unlinked. You can still cancel withdrawals, pause and revoke keys, unlink or keep wallets, and end sessions. Contact support.",
  );

const unreadable = "We couldn't read the form. Reload the page and try again.";

/**
 * Reads a browser's input; of several faults the first is reported. A form's own messages are for people; without one, no page of
 * ours sent this.
 */
export function readForm<Form>(form: ZodType<Form>, input: unknown): { ok: true; form: Form } | Refusal {
  const read = form.safeParse(input, { error: () => unreadable });
  if (read.success) return { ok: true, form: read.data };
  const [issue] = read.error.issues;
  const [field] = issue?.path ?? [];
  return refuse(issue?.message ?? unreadable, typeof field === "string" ? field : undefined);
}

/** A text field of a page, of at most so many characters, that `read` turns into its value; a RangeError from `read` carries the message. */
export const textField = <Value>(read: (text: string) => Value, limit: TextLimit = textLimits.amount) =>
  z.string().transform((text, context): Value => {
    try {
      if (isTooLong(text, limit)) throw new RangeError(tooLongText(text, limit));
      return read(text);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      context.addIssue({ code: "custom", message: error.message });
      return z.NEVER;
    }
  });
