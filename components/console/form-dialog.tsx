"use client";

import { useRouter } from "next/navigation";
import { type FormEvent, type ReactNode, useState } from "react";
import { toast } from "sonner";
import type { Answer, Refusal } from "@/lib/console/views/answer";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Problem } from "../ui/problem";
import { hasTooLong, useWrongField } from "../ui/wrong-field";
import type { SignedChallenge } from "../wallet/wallet-types";
import type { Draft } from "./drafts";
import { useAction } from "./use-action";

/** The message of a refusal for the field that it is about. */
export type ErrorOf = (field: string) => string | null;

interface FormDialogProps<Result> {
  title: string;
  description?: ReactNode;
  /** The label of its button: a verb. */
  action: string;
  submit: (proof?: SignedChallenge) => Promise<Answer<Result>>;
  /** The notice once it is done; null for none. */
  done: (result: Result) => string | null;
  onClose: () => void;
  /** The typed values: they stay when the dialog closes, unless they were sent or cancelled. */
  draft?: Pick<Draft<unknown>, "discard">;
  /** The fields that show their own errors; others are shown below the form. */
  fields?: readonly string[];
  /** A secret in the answer, under its own title, until its owner has stored it; null when there is none. */
  secret?: { title: string; show: (result: Result, onStored: () => void) => ReactNode };
  children?: (errorOf: ErrorOf) => ReactNode;
}

/** A form in a dialog, mounted only while it is open. Each refusal leads to the first wrong field. */
export function FormDialog<Result>({
  title,
  description,
  action,
  submit,
  done,
  onClose,
  draft,
  fields = [],
  secret,
  children,
}: FormDialogProps<Result>) {
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [shown, setShown] = useState<ReactNode>(null);
  const { busy, run } = useAction();
  const router = useRouter();
  const form = useWrongField(refusal);
  const finish = (result: Result) => {
    const text = done(result);
    onClose();
    if (text) toast.success(text);
  };
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (hasTooLong(event.currentTarget)) return;
    setRefusal(null);
    const answer = await run(submit);
    if (!answer.ok) return setRefusal(answer);
    draft?.discard();
    const stored = () => {
      finish(answer);
      router.refresh(); // only now: a re-rendered list must not remove this dialog
    };
    const content = secret?.show(answer, stored) ?? null;
    if (content === null && secret) stored();
    else if (content === null) finish(answer);
    else setShown(content);
  };
  const cancel = () => {
    draft?.discard();
    onClose();
  };
  const isOfField = fields.includes(refusal?.field ?? "");
  const isHeld = secret !== undefined && (busy || shown !== null); // closing would lose the secret
  return (
    <Dialog
      open
      mustAnswer={isHeld}
      onOpenChange={(wanted) => wanted || isHeld || onClose()}
      title={shown && secret ? secret.title : title}
      description={shown ? undefined : description}
    >
      {shown ?? (
        <form ref={form} onSubmit={(event) => void send(event)} className="grid gap-5" noValidate>
          {children?.((field) => (refusal?.field === field ? refusal.message : null))}
          {refusal && !isOfField ? <Problem>{refusal.message}</Problem> : null}
          <div className="flex justify-end gap-3">
            <Button onClick={cancel} disabled={busy}>
              Cancel
            </Button>
            <Button look="primary" type="submit" busy={busy}>
              {action}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
