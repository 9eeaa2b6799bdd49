"use client";

import { useRouter } from "next/navigation";
import { type FormEvent, useState } from "react";
import { toast } from "sonner";
import type { OwnKey } from "@/lib/console/views/keys";
import { Dialog } from "../../ui/dialog";
import { Field, Select } from "../../ui/field";
import { useConfirmedAction } from "../step-up/step-up";
import { type FieldProblem, FormEnd, problemOf } from "./form-end";
import type { CreatedKey, KeyActions, Overlap } from "./key-actions";
import { NewKey } from "./new-key";

interface RotateKeyProps {
  item: OwnKey;
  rotate: KeyActions["rotate"];
  onClose: () => void;
}

/** Gives the key a new secret, which is shown once. */
export function RotateKey({ item, rotate, onClose }: RotateKeyProps) {
  const [overlap, setOverlap] = useState<Overlap>("day");
  const [problem, setProblem] = useState<FieldProblem | null>(null);
  const [created, setCreated] = useState<CreatedKey | null>(null);
  const { busy, run } = useConfirmedAction();
  const router = useRouter();
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(null);
    const answer = await run((proof) => rotate({ keyId: item.keyId, overlap }, proof));
    if (answer.ok) setCreated(answer);
    else setProblem(problemOf(answer));
  };
  const stored = () => {
    onClose();
    toast.success("The key has a new secret.");
    router.refresh(); // only now: a re-rendered list must not remove this dialog
  };
  return (
    <Dialog
      open
      mustAnswer={busy || created !== null}
      onOpenChange={(wanted) => wanted || busy || created !== null || onClose()}
      title={created ? "Store your key" : "New secret"}
      description={created ? undefined : <>For “{item.name}”. Its name, limits and usage stay.</>}
    >
      {created ? (
        <NewKey created={created} onStored={stored} />
      ) : (
        <form onSubmit={(event) => void send(event)} className="grid gap-5" noValidate>
          <Field label="The old secret works" hint={hintOf(item, overlap)}>
            {(control) => (
              <Select {...control} value={overlap} onChange={({ target }) => setOverlap(target.value as Overlap)}>
                <option value="none">No longer: it may have leaked</option>
                <option value="hour">For 1 hour</option>
                <option value="day">For 24 hours</option>
                <option value="week">For 7 days</option>
                {item.oldSecret && <option value="as_before">The one that ends in {item.oldSecret.last4}, as before</option>}
              </Select>
            )}
          </Field>
          <FormEnd problem={problem} busy={busy} action="Create new secret" onCancel={onClose} />
        </form>
      )}
    </Dialog>
  );
}

function hintOf({ last4, oldSecret }: OwnKey, overlap: Overlap): string {
  if (!oldSecret) return "Until then both work. You can end it at any time.";
  return overlap === "as_before"
    ? `The newest secret, which ends in ${last4}, stops now: choose this if you did not store it.`
    : `The secret that ends in ${oldSecret.last4}, from the change before, stops now.`;
}
