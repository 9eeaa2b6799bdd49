"use client";

import type { ComponentProps } from "react";
import { textLimits } from "@/lib/base/typed/text-limits";
import type { AlertEndpoint, EventChoice } from "@/lib/console/views/alerts";
import { SelectField, TextField } from "../../ui/field";
import { useDraft } from "../drafts";
import { FormDialog } from "../form-dialog";
import { ShownOnce } from "../shown-once";
import type { EndpointActions } from "./alert-actions";
import { EventPicker } from "./event-picker";

/** A webhook's secret just created; other destinations have none. */
export const endpointSecret = {
  title: "Save your secret",
  show: ({ secret }: { secret: string | null }, onStored: () => void) =>
    secret && (
      <ShownOnce
        label="The webhook's secret"
        copyLabel="Copy the secret"
        secret={secret}
        warning="You won’t see this secret again. Save it where your server runs, and use it to verify the signature of each webhook. Anyone who has it can send you fake events."
        onStored={onStored}
      />
    ),
};

export const NameField = (field: Pick<ComponentProps<typeof TextField>, "error" | "value" | "onChange">) => (
  <TextField
    label="Name (optional)"
    hint="Only you see it. Without a name, the host or address is shown."
    limit={textLimits.endpointName}
    placeholder="On-call channel"
    autoComplete="off"
    data-1p-ignore
    {...field}
  />
);

interface DialogProps {
  item: AlertEndpoint;
  actions: EndpointActions;
  onClose: () => void;
}

interface EventDialogProps extends DialogProps {
  choices: readonly EventChoice[];
}

export function RenameEndpoint({ item: { id, host, ownName }, actions, onClose }: DialogProps) {
  const draft = useDraft(`name of ${id}`, () => ownName);
  return (
    <FormDialog
      title="Rename destination"
      description={`For ${host}.`}
      action="Rename"
      fields={["name"]}
      submit={() => actions.renameEndpoint({ endpointId: id, name: draft.value })}
      done={() => "Destination renamed."}
      draft={draft}
      onClose={onClose}
    >
      {(errorOf) => <NameField error={errorOf("name")} value={draft.value} onChange={draft.set} />}
    </FormDialog>
  );
}

export function ChooseEvents({ item: { id, name, types }, actions, choices, onClose }: EventDialogProps) {
  const draft = useDraft(`events of ${id}`, () => types);
  return (
    <FormDialog
      title="Choose events"
      description={`For ${name}.`}
      action="Save events"
      fields={["types"]}
      submit={() => actions.chooseEvents({ endpointId: id, types: draft.value })}
      done={() => "Events saved. They apply from the next event."}
      draft={draft}
      onClose={onClose}
    >
      {(errorOf) => <EventPicker choices={choices} chosen={draft.value} onChange={draft.set} error={errorOf("types")} />}
    </FormDialog>
  );
}

/** Events that frighten nobody who reads them in a channel, the best first. */
const harmless = ["deposit.credited", "deposit.seen", "payment.completed", "withdrawal.completed", "key.created", "price.changed"];

const firstSample = (choices: readonly EventChoice[], types: AlertEndpoint["types"]): string => {
  const offered = types ?? choices.map(({ name }) => name);
  return harmless.find((one) => offered.includes(one)) ?? offered[0] ?? "";
};

export function SendSample({ item: { id, name, types }, actions, choices, onClose }: EventDialogProps) {
  const draft = useDraft(`sample of ${id}`, () => firstSample(choices, types));
  const type = draft.value;
  return (
    <FormDialog
      title="Send a sample"
      description={`Sends ${name} an event with made-up figures, marked as a sample.`}
      action="Send sample"
      submit={() => actions.sendSample({ endpointId: id, type })}
      done={() => "Sample on its way. Track it under Deliveries."}
      draft={draft}
      onClose={onClose}
    >
      {() => (
        <SelectField label="Event" hint={choices.find((one) => one.name === type)?.when} value={type} onChange={draft.set}>
          {choices.map((one) => (
            <option key={one.name} value={one.name}>
              {one.title} ({one.name})
            </option>
          ))}
        </SelectField>
      )}
    </FormDialog>
  );
}

export const RenewSecret = ({ item: { id, name }, actions, onClose }: DialogProps) => (
  <FormDialog
    title="New secret"
    description={`For ${name}. The old secret works for another 24 hours; until then, each webhook is signed with both.`}
    action="Create new secret"
    submit={() => actions.renewSecret({ endpointId: id })}
    secret={endpointSecret}
    done={() => null}
    onClose={onClose}
  />
);

export function ResendFailed({ item: { id, name }, actions, onClose }: DialogProps) {
  const draft = useDraft(`resending to ${id}`, () => "24");
  return (
    <FormDialog
      title="Resend failed events"
      description={`Sends them to ${name} in order. Each event keeps its ID, so your server can skip those it has already handled.`}
      action="Resend"
      submit={() => actions.resendFailed({ endpointId: id, hours: Number(draft.value) })}
      done={({ count }) => (count === 0 ? "Nothing failed in that time." : `Resending ${count} ${count === 1 ? "event" : "events"}.`)}
      draft={draft}
      onClose={onClose}
    >
      {() => (
        <SelectField label="Failed in the last" value={draft.value} onChange={draft.set}>
          <option value="24">24 hours</option>
          <option value="168">7 days</option>
        </SelectField>
      )}
    </FormDialog>
  );
}
