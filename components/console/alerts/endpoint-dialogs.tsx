"use client";

import { useState } from "react";
import type { AlertEndpoint, EventChoice } from "@/lib/console/views/alerts";
import { SelectField } from "../../ui/field";
import { FormDialog } from "../form-dialog";
import { ShownOnce } from "../shown-once";
import type { EndpointActions } from "./alert-actions";
import { EventPicker } from "./event-picker";

/** A webhook's secret just created; other endpoints have none. */
export const endpointSecret = {
  title: "Store your secret",
  show: ({ secret }: { secret: string | null }, onStored: () => void) =>
    secret && (
      <ShownOnce
        label="The webhook's secret"
        copyLabel="Copy the secret"
        secret={secret}
        warning="You will not see this secret again. Store it where your receiver runs, and check the signature of each webhook with it: anyone who has it can send you false events."
        onStored={onStored}
      />
    ),
};

interface DialogProps {
  item: AlertEndpoint;
  actions: EndpointActions;
  onClose: () => void;
}

interface EventDialogProps extends DialogProps {
  choices: readonly EventChoice[];
}

export function ChooseEvents({ item: { id, host, types }, actions, choices, onClose }: EventDialogProps) {
  const [chosen, setChosen] = useState(types);
  return (
    <FormDialog
      title="Choose events"
      description={`For ${host}.`}
      action="Save events"
      fields={["types"]}
      submit={() => actions.chooseEvents({ endpointId: id, types: chosen })}
      done={() => "Saved. It applies from the next event."}
      onClose={onClose}
    >
      {(errorOf) => <EventPicker choices={choices} chosen={chosen} onChange={setChosen} error={errorOf("types")} />}
    </FormDialog>
  );
}

export function SendSample({ item: { id, host, types }, actions, choices, onClose }: EventDialogProps) {
  const [type, setType] = useState(types?.[0] ?? choices[0]?.name ?? "");
  return (
    <FormDialog
      title="Send a sample"
      description={`An event with made-up figures, to ${host}.`}
      action="Send sample"
      submit={() => actions.sendSample({ endpointId: id, type })}
      done={() => "Sample on its way. It appears under Deliveries."}
      onClose={onClose}
    >
      {() => (
        <SelectField label="Event" hint={choices.find(({ name }) => name === type)?.when} value={type} onChange={setType}>
          {choices.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
    </FormDialog>
  );
}

export const RenewSecret = ({ item: { id, host }, actions, onClose }: DialogProps) => (
  <FormDialog
    title="New secret"
    description={`For ${host}. For 24 hours the old secret still works: each webhook is signed with both.`}
    action="Make new secret"
    submit={() => actions.renewSecret({ endpointId: id })}
    secret={endpointSecret}
    done={() => null}
    onClose={onClose}
  />
);

export function ResendFailed({ item: { id, host }, actions, onClose }: DialogProps) {
  const [hours, setHours] = useState("24");
  return (
    <FormDialog
      title="Resend what failed"
      description={`To ${host}, in order. Each event keeps its ID, so your receiver knows one it has already handled.`}
      action="Resend"
      submit={() => actions.resendFailed({ endpointId: id, hours: Number(hours) })}
      done={({ count }) => (count === 0 ? "Nothing failed in that time." : `${count} on their way again.`)}
      onClose={onClose}
    >
      {() => (
        <SelectField label="Failed in the last" value={hours} onChange={setHours}>
          <option value="24">24 hours</option>
          <option value="168">7 days</option>
        </SelectField>
      )}
    </FormDialog>
  );
}
