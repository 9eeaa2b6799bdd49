"use client";

import { PlusIcon } from "lucide-react";
import { useState } from "react";
import { textLimits } from "@/lib/base/typed/text-limits";
import type { EventChoice } from "@/lib/console/views/alerts";
import { Button } from "../../ui/button";
import { SelectField, TextField } from "../../ui/field";
import { useDraft } from "../drafts";
import { FormDialog } from "../form-dialog";
import type { EndpointActions, NewEndpointInput } from "./alert-actions";
import { endpointSecret, NameField } from "./endpoint-dialogs";
import { EventPicker } from "./event-picker";

interface AddEndpointProps {
  add: EndpointActions["addEndpoint"];
  choices: readonly EventChoice[];
  /** False where the operator has not set up e-mail. */
  offersMail: boolean;
  disabled: boolean;
}

/** The button that adds a destination. */
export function AddEndpoint({ disabled, ...form }: AddEndpointProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button look="primary" disabled={disabled} onClick={() => setOpen(true)}>
        <PlusIcon aria-hidden="true" /> Add destination
      </Button>
      {open ? <NewEndpoint {...form} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

const url = { label: "URL", type: "url", placeholder: "https://example.com/webhooks", limit: textLimits.url } as const;

const kinds = {
  webhook: { ...url, name: "Webhook", hint: "An HTTPS URL on your server. Each request is signed per Standard Webhooks." },
  chat: { ...url, name: "Slack or Discord", hint: "An incoming webhook URL from Slack, or one from Discord with /slack added at the end." },
  email: {
    label: "Email address",
    type: "email",
    placeholder: "you@example.com",
    limit: textLimits.mailAddress,
    name: "Email",
    hint: "We’ll email a confirmation link first. After that, events are grouped into at most one email every 10 minutes.",
  },
} as const;

const kindNames = Object.keys(kinds) as (keyof typeof kinds)[];

function NewEndpoint({ add, choices, offersMail, onClose }: Omit<AddEndpointProps, "disabled"> & { onClose: () => void }) {
  const draft = useDraft<NewEndpointInput>("new destination", () => ({ kind: "webhook", name: "", target: "", types: null }));
  const { kind, name, target, types } = draft.value;
  const change = (part: Partial<NewEndpointInput>) => draft.set({ ...draft.value, ...part });
  const isMail = kind === "email";
  const { name: _name, ...input } = kinds[kind];
  return (
    <FormDialog
      title="Add destination"
      description={`${isMail ? "" : "Each event is sent within seconds. "}Failed deliveries are retried for three days.`}
      action="Add destination"
      fields={["target", "name", "types"]}
      submit={() => add(draft.value)}
      secret={endpointSecret}
      done={() => (isMail ? "Destination added. Open the link we sent to confirm it." : "Destination added. Send a sample to try it.")}
      draft={draft}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <SelectField
            label="Type"
            value={kind}
            onChange={(wanted) => change({ kind: kindNames.find((one) => one === wanted) ?? "webhook" })}
          >
            {kindNames.map((one) =>
              one === "email" && !offersMail ? null : (
                <option key={one} value={one}>
                  {kinds[one].name}
                </option>
              ),
            )}
          </SelectField>
          <TextField
            {...input}
            error={errorOf("target")}
            value={target}
            onChange={(written) => change({ target: written })}
            autoComplete="off"
            spellCheck={false}
          />
          <NameField error={errorOf("name")} value={name} onChange={(written) => change({ name: written })} />
          <EventPicker choices={choices} chosen={types} onChange={(chosen) => change({ types: chosen })} error={errorOf("types")} />
        </>
      )}
    </FormDialog>
  );
}
