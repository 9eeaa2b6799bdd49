"use client";

import { type FormEvent, useState } from "react";
import { toast } from "sonner";
import type { OwnKey } from "@/lib/console/views/keys";
import { Dialog } from "../../ui/dialog";
import { Field, Input } from "../../ui/field";
import { useAction } from "../use-action";
import { type FieldProblem, FormEnd, problemOf } from "./form-end";
import type { KeyActions } from "./key-actions";

interface RenameKeyProps {
  item: OwnKey;
  rename: KeyActions["rename"];
  onClose: () => void;
}

/** Mounted only while it is open: each opening starts with the current name. */
export function RenameKey({ item, rename, onClose }: RenameKeyProps) {
  const [name, setName] = useState(item.name);
  const [problem, setProblem] = useState<FieldProblem | null>(null);
  const { busy, run } = useAction();
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(null);
    const answer = await run(() => rename({ keyId: item.keyId, name }));
    if (!answer.ok) return setProblem(problemOf(answer));
    toast.success("Renamed.");
    onClose();
  };
  return (
    <Dialog open onOpenChange={onClose} title="Rename key">
      <form onSubmit={(event) => void send(event)} className="grid gap-5" noValidate>
        <Field label="Name" error={problem?.field === "name" ? problem.message : null}>
          {(control) => (
            <Input {...control} value={name} onChange={({ target }) => setName(target.value)} autoComplete="off" data-1p-ignore />
          )}
        </Field>
        <FormEnd problem={problem} busy={busy} action="Rename" onCancel={onClose} />
      </form>
    </Dialog>
  );
}
