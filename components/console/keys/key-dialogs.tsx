"use client";

import { type ComponentProps, useState } from "react";
import { textLimits } from "@/lib/base/typed/text-limits";
import type { OwnKey, Snippet } from "@/lib/console/views/keys";
import { CodeBlock } from "../../ui/code-block";
import { SelectField, TextField } from "../../ui/field";
import { Tabs } from "../../ui/tabs";
import { useDraft } from "../drafts";
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
  const draft = useDraft("new key", () => ({ name: "", limits: newLimits }));
  const { name, limits } = draft.value;
  return (
    <FormDialog
      title="Create key"
      description="Use one key per app, so you can track and revoke it separately."
      action="Create key"
      fields={["name", ...limitsFields]}
      submit={(proof) => create({ name, ...inputOf(limits) }, proof)}
      secret={newSecret}
      done={() => "Key created."}
      draft={draft}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <NameField
            hint="The app or server that uses the key. Only you see it."
            error={errorOf("name")}
            value={name}
            onChange={(written) => draft.set({ name: written, limits })}
          />
          <LimitsFields draft={limits} onChange={(next) => draft.set({ name, limits: next })} models={models} errorOf={errorOf} />
        </>
      )}
    </FormDialog>
  );
}

const NameField = (field: Pick<ComponentProps<typeof TextField>, "hint" | "error" | "value" | "onChange">) => (
  <TextField label="Name" {...field} limit={textLimits.keyName} placeholder="Production" autoComplete="off" data-1p-ignore />
);

/** A key just created, and first calls with it. */
const newSecret = {
  title: "Save your key",
  show: ({ key, snippets }: CreatedKey, onStored: () => void) => (
    <ShownOnce
      label="The new key"
      copyLabel="Copy the key"
      secret={key}
      warning="You won’t see this key again. Save it in a password manager or secret store, never in code or a browser. Anyone who has it can spend your balance."
      onStored={onStored}
    >
      <section aria-label="Make your first call" className="min-w-0">
        <h3 className="mb-1 text-sm font-medium">Make your first call</h3>
        <Tabs
          label="Client"
          tabs={snippets.map(({ client, blocks }) => ({ value: client, title: client, content: <Blocks blocks={blocks} /> }))}
        />
      </section>
    </ShownOnce>
  ),
};

const Blocks = ({ blocks }: Pick<Snippet, "blocks">) => (
  <div className="grid min-w-0 gap-3">
    {blocks.map(({ title, code }) => (
      <CodeBlock key={title} wraps title={title} copy={code} />
    ))}
  </div>
);

interface KeyDialogProps {
  item: OwnKey;
  actions: KeyActions;
  onClose: () => void;
}

export function RenameKey({ item: { keyId, name: before }, actions, onClose }: KeyDialogProps) {
  const draft = useDraft(`name of ${keyId}`, () => before);
  return (
    <FormDialog
      title="Rename key"
      action="Rename"
      fields={["name"]}
      submit={() => actions.rename({ keyId, name: draft.value })}
      done={() => "Key renamed."}
      draft={draft}
      onClose={onClose}
    >
      {(errorOf) => <NameField error={errorOf("name")} value={draft.value} onChange={draft.set} />}
    </FormDialog>
  );
}

export function EditLimits({ item, models, actions, onClose }: KeyDialogProps & { models: readonly ModelChoice[] }) {
  const [before] = useState(() => draftOf(item, new Set(models.map(({ id }) => id))));
  const draft = useDraft(`limits of ${item.keyId}`, () => before);
  const lost = (item.models?.length ?? 0) - (before.models?.length ?? 0);
  return (
    <FormDialog
      title="Edit limits"
      description={<>For “{item.name}”. New limits apply from the next request.</>}
      action="Save limits"
      fields={limitsFields}
      submit={(proof) => actions.changeLimits({ keyId: item.keyId, ...inputOf(draft.value) }, proof)}
      done={() => "Limits saved."}
      draft={draft}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <LimitsFields draft={draft.value} onChange={draft.set} models={models} errorOf={errorOf} item={item} />
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
  const draft = useDraft<Overlap>(`overlap of ${item.keyId}`, () => "day");
  const overlap = draft.value;
  return (
    <FormDialog
      title="New secret"
      description={<>For “{item.name}”. Its name, limits and usage stay the same.</>}
      action="Create new secret"
      submit={(proof) => actions.rotate({ keyId: item.keyId, overlap }, proof)}
      secret={newSecret}
      done={() => "New secret created."}
      draft={draft}
      onClose={onClose}
    >
      {() => (
        <SelectField label="Old secret" hint={hintOf(item, overlap)} value={overlap} onChange={(wanted) => draft.set(wanted as Overlap)}>
          <option value="none">Stops now (if it may have leaked)</option>
          <option value="hour">Works for 1 hour</option>
          <option value="day">Works for 24 hours</option>
          <option value="week">Works for 7 days</option>
          {item.oldSecret && <option value="as_before">Keep the one that ends in {item.oldSecret.last4} instead</option>}
        </SelectField>
      )}
    </FormDialog>
  );
}

function hintOf({ last4, oldSecret }: OwnKey, overlap: Overlap): string {
  if (!oldSecret)
    return overlap === "none"
      ? "Requests with the old secret fail with 401 within a second."
      : "Until then, both secrets work. You can end the old one at any time.";
  return overlap === "as_before"
    ? `The newest secret, which ends in ${last4}, stops now. Choose this if you did not save it.`
    : `The earlier secret, which ends in ${oldSecret.last4}, stops now in any case.`;
}
