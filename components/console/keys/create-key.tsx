"use client";

import { PlusIcon } from "lucide-react";
import { usePathname, useRouter } from "next/navigation";
import { type FormEvent, useState } from "react";
import { toast } from "sonner";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Field, Input } from "../../ui/field";
import { useConfirmedAction } from "../step-up/step-up";
import { type FieldProblem, FormEnd, problemOf } from "./form-end";
import type { CreatedKey, KeyActions, ModelChoice } from "./key-actions";
import { inputOf, newLimits } from "./limits-draft";
import { LimitsFields } from "./limits-fields";
import { NewKey } from "./new-key";

interface CreateKeyProps {
  create: KeyActions["create"];
  models: readonly ModelChoice[];
  disabled?: boolean;
  /** The page's URL asks for it. */
  initiallyOpen?: boolean;
}

/** The button that creates a key, its form, and the key itself, shown once. */
export function CreateKey({ create, models, disabled = false, initiallyOpen = false }: CreateKeyProps) {
  const [open, setOpen] = useState(initiallyOpen && !disabled);
  const [created, setCreated] = useState<CreatedKey | null>(null);
  const { busy, run } = useConfirmedAction();
  const router = useRouter();
  const path = usePathname();
  const close = () => {
    setOpen(false);
    setCreated(null);
    if (initiallyOpen) router.replace(path, { scroll: false }); // or the next reload would open it again
  };
  const stored = () => {
    close();
    toast.success("Key created.");
    router.refresh(); // only now: a re-rendered list must not remove this dialog
  };
  return (
    <>
      <Button look="primary" disabled={disabled} onClick={() => setOpen(true)}>
        <PlusIcon aria-hidden="true" /> Create key
      </Button>
      <Dialog
        open={open}
        // While the key is created or shown, closing would lose it.
        mustAnswer={busy || created !== null}
        onOpenChange={(wanted) => wanted || busy || created !== null || close()}
        title={created ? "Store your key" : "Create key"}
        description={created ? undefined : "Use one key per app, so you can track and revoke it separately."}
      >
        {created ? (
          <NewKey created={created} onStored={stored} />
        ) : (
          <KeyForm
            models={models}
            busy={busy}
            onCancel={close}
            submit={(input) => run((proof) => create(input, proof))}
            onCreated={setCreated}
          />
        )}
      </Dialog>
    </>
  );
}

interface KeyFormProps {
  models: readonly ModelChoice[];
  busy: boolean;
  submit: KeyActions["create"];
  onCreated: (created: CreatedKey) => void;
  onCancel: () => void;
}

function KeyForm({ models, busy, submit, onCreated, onCancel }: KeyFormProps) {
  const [name, setName] = useState("");
  const [draft, setDraft] = useState(newLimits);
  const [problem, setProblem] = useState<FieldProblem | null>(null);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(null);
    const answer = await submit({ name, ...inputOf(draft) });
    if (answer.ok) onCreated(answer);
    else setProblem(problemOf(answer));
  };
  return (
    <form onSubmit={(event) => void send(event)} className="grid gap-5" noValidate>
      <Field
        label="Name"
        hint="The app or server that uses it. Only you see it."
        error={problem?.field === "name" ? problem.message : null}
      >
        {(control) => (
          <Input
            {...control}
            value={name}
            onChange={({ target }) => setName(target.value)}
            placeholder="Production"
            autoComplete="off"
            data-1p-ignore
          />
        )}
      </Field>
      <LimitsFields draft={draft} onChange={setDraft} models={models} problem={problem} />
      <FormEnd problem={problem} busy={busy} action="Create key" onCancel={onCancel} />
    </form>
  );
}
