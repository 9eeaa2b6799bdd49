"use client";

import { useState } from "react";
import type { OwnKey } from "@/lib/console/views/keys";
import { CodeBlock } from "../../ui/code-block";
import { SelectField, TextField } from "../../ui/field";
import { FormDialog } from "../form-dialog";
import { ShownOnce } from "../shown-once";
import type { CreatedKey, KeyActions, ModelChoice, Overlap } from "./key-actions";
import { draftOf, inputOf, newLimits } from "./limits-draft";
import { LimitsFields, limitsFields } from "./limits-fields";

interface NewKeyProps {
  create: KeyActions["create"];
  models: readonly ModelChoice[];
  onClose: () => void;
}

export function NewKey({ create, models, onClose }: NewKeyProps) {
  const [name, setName] = useState("");
  const [draft, setDraft] = useState(newLimits);
  return (
    <FormDialog
      title="Create key"
      description="Use one key per app, so you can track and revoke it separately."
      action="Create key"
      fields={["name", ...limitsFields]}
      submit={(proof) => create({ name, ...inputOf(draft) }, proof)}
      secret={newSecret}
      done={() => "Key created."}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <TextField
            label="Name"
            hint="The app or server that uses it. Only you see it."
            error={errorOf("name")}
            value={name}
            onChange={setName}
            placeholder="Production"
            autoComplete="off"
            data-1p-ignore
          />
          <LimitsFields draft={draft} onChange={setDraft} models={models} errorOf={errorOf} />
        </>
      )}
    </FormDialog>
  );
}

/** A key just created, and a line to try it with. */
const newSecret = {
  title: "Store your key",
  show: ({ key, curl }: CreatedKey, onStored: () => void) => (
    <ShownOnce
      label="The new key"
      copyLabel="Copy the key"
      secret={key}
      warning="You will not see this key again. Store it in a password manager or secret store, never in code or a browser. Anyone who has it can spend your balance."
      onStored={onStored}
    >
      <CodeBlock title="Try it" copy={curl} />
    </ShownOnce>
  ),
};

interface KeyDialogProps {
  item: OwnKey;
  actions: KeyActions;
  onClose: () => void;
}

export function RenameKey({ item: { keyId, name: before }, actions, onClose }: KeyDialogProps) {
  const [name, setName] = useState(before);
  return (
    <FormDialog
      title="Rename key"
      action="Rename"
      fields={["name"]}
      submit={() => actions.rename({ keyId, name })}
      done={() => "Renamed."}
      onClose={onClose}
    >
      {(errorOf) => <TextField label="Name" error={errorOf("name")} value={name} onChange={setName} autoComplete="off" data-1p-ignore />}
    </FormDialog>
  );
}

export function EditLimits({ item, models, actions, onClose }: KeyDialogProps & { models: readonly ModelChoice[] }) {
  const [before] = useState(() => draftOf(item, new Set(models.map(({ id }) => id))));
  const [draft, setDraft] = useState(before);
  const lost = (item.models?.length ?? 0) - (before.models?.length ?? 0);
  return (
    <FormDialog
      title="Edit limits"
      description={<>For “{item.name}”. New limits apply from the next request.</>}
      action="Save limits"
      fields={limitsFields}
      submit={(proof) => actions.changeLimits({ keyId: item.keyId, ...inputOf(draft) }, proof)}
      done={() => "Limits saved."}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <LimitsFields draft={draft} onChange={setDraft} models={models} errorOf={errorOf} item={item} />
          {lost > 0 ? (
            <p className="text-xs text-muted">
              {lost === 1 ? "One of its models is" : `${lost} of its models are`} no longer available. Saving removes{" "}
              {lost === 1 ? "it" : "them"}.
            </p>
          ) : null}
        </>
      )}
    </FormDialog>
  );
}

/** Gives the key a new secret, which is shown once. */
export function RotateKey({ item, actions, onClose }: KeyDialogProps) {
  const [overlap, setOverlap] = useState<Overlap>("day");
  return (
    <FormDialog
      title="New secret"
      description={<>For “{item.name}”. Its name, limits and usage stay.</>}
      action="Create new secret"
      submit={(proof) => actions.rotate({ keyId: item.keyId, overlap }, proof)}
      secret={newSecret}
      done={() => "The key has a new secret."}
      onClose={onClose}
    >
      {() => (
        <SelectField
          label="The old secret works"
          hint={hintOf(item, overlap)}
          value={overlap}
          onChange={(wanted) => setOverlap(wanted as Overlap)}
        >
          <option value="none">No longer: it may have leaked</option>
          <option value="hour">For 1 hour</option>
          <option value="day">For 24 hours</option>
          <option value="week">For 7 days</option>
          {item.oldSecret && <option value="as_before">The one that ends in {item.oldSecret.last4}, as before</option>}
        </SelectField>
      )}
    </FormDialog>
  );
}

function hintOf({ last4, oldSecret }: OwnKey, overlap: Overlap): string {
  if (!oldSecret) return "Until then both work. You can end it at any time.";
  return overlap === "as_before"
    ? `The newest secret, which ends in ${last4}, stops now: choose this if you did not store it.`
    : `The secret that ends in ${oldSecret.last4}, from the change before, stops now.`;
}
