"use client";

import { type FormEvent, useState } from "react";
import { toast } from "sonner";
import type { OwnKey } from "@/lib/console/views/keys";
import { Dialog } from "../../ui/dialog";
import { useConfirmedAction } from "../step-up/step-up";
import { type FieldProblem, FormEnd, problemOf } from "./form-end";
import type { KeyActions, ModelChoice } from "./key-actions";
import { draftOf, inputOf } from "./limits-draft";
import { LimitsFields } from "./limits-fields";

interface EditLimitsProps {
  item: OwnKey;
  models: readonly ModelChoice[];
  changeLimits: KeyActions["changeLimits"];
  onClose: () => void;
}

/** Mounted only while it is open: each opening starts with the current limits. */
export function EditLimits({ item, models, changeLimits, onClose }: EditLimitsProps) {
  const [before] = useState(() => draftOf(item, new Set(models.map(({ id }) => id))));
  const [draft, setDraft] = useState(before);
  const [problem, setProblem] = useState<FieldProblem | null>(null);
  const { busy, run } = useConfirmedAction();
  const lost = (item.models?.length ?? 0) - (before.models?.length ?? 0);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(null);
    const answer = await run((proof) => changeLimits({ keyId: item.keyId, ...inputOf(draft) }, proof));
    if (!answer.ok) return setProblem(problemOf(answer));
    toast.success("Limits saved.");
    onClose();
  };
  return (
    <Dialog open onOpenChange={onClose} title="Edit limits" description={<>For “{item.name}”. New limits apply from the next request.</>}>
      <form onSubmit={(event) => void send(event)} className="grid gap-5" noValidate>
        <LimitsFields
          draft={draft}
          onChange={setDraft}
          models={models}
          problem={problem}
          expiresAt={item.expiresAt}
          spentInHour={item.spentInHour}
        />
        {lost > 0 ? (
          <p className="text-xs text-muted">
            {lost === 1 ? "One of its models is" : `${lost} of its models are`} no longer available. Saving removes{" "}
            {lost === 1 ? "it" : "them"}.
          </p>
        ) : null}
        <FormEnd problem={problem} busy={busy} action="Save limits" onCancel={onClose} />
      </form>
    </Dialog>
  );
}
