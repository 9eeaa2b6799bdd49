"use client";

import { PlusIcon } from "lucide-react";
import { useState } from "react";
import type { EventChoice } from "@/lib/console/views/alerts";
import { Button } from "../../ui/button";
import { SelectField, TextField } from "../../ui/field";
import { FormDialog } from "../form-dialog";
import type { EndpointActions, NewEndpointInput } from "./alert-actions";
import { endpointSecret } from "./endpoint-dialogs";
import { EventPicker } from "./event-picker";

interface AddEndpointProps {
  add: EndpointActions["addEndpoint"];
  choices: readonly EventChoice[];
  /** Why no e-mail address can be added; null when one can. */
  mailProblem: string | null;
  disabled: boolean;
}

/** The button that adds an endpoint. */
export function AddEndpoint({ disabled, ...form }: AddEndpointProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button look="primary" disabled={disabled} onClick={() => setOpen(true)}>
        <PlusIcon aria-hidden="true" /> Add endpoint
      </Button>
      {open ? <NewEndpoint {...form} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

const url = { label: "URL", type: "url", placeholder: "https://example.com/webhooks" } as const;

const kinds = {
  webhook: { ...url, name: "Webhook", hint: "An https URL of your server. Each request is signed after Standard Webhooks." },
  chat: { ...url, name: "Chat (Slack or Discord)", hint: "An incoming webhook of Slack, or one of Discord with /slack at its end." },
  email: {
    label: "E-mail address",
    type: "email",
    placeholder: "you@example.com",
    name: "E-mail",
    hint: "We send it a link first. Once that is opened, events come at most every 10 minutes, together in one mail.",
  },
} as const;

const kindNames = Object.keys(kinds) as (keyof typeof kinds)[];

function NewEndpoint({ add, choices, mailProblem, onClose }: Omit<AddEndpointProps, "disabled"> & { onClose: () => void }) {
  const [draft, setDraft] = useState<NewEndpointInput>({ kind: "webhook", target: "", types: null });
  const change = (part: Partial<NewEndpointInput>) => setDraft({ ...draft, ...part });
  const isMail = draft.kind === "email";
  const { name: _name, ...input } = kinds[draft.kind];
  return (
    <FormDialog
      title="Add endpoint"
      description="We send each event there within seconds, and again for three days if it fails."
      action="Add endpoint"
      fields={["target", "types"]}
      submit={() => add(draft)}
      secret={endpointSecret}
      done={() => (isMail ? "Added. Open the link in the mail that we sent there." : "Endpoint added. Send it a sample to try it.")}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <SelectField
            label="Kind"
            hint={mailProblem}
            value={draft.kind}
            onChange={(wanted) => change({ kind: kindNames.find((kind) => kind === wanted) ?? "webhook" })}
          >
            {kindNames.map((kind) => (
              <option key={kind} value={kind} disabled={kind === "email" && mailProblem !== null}>
                {kinds[kind].name}
              </option>
            ))}
          </SelectField>
          <TextField
            {...input}
            error={errorOf("target")}
            value={draft.target}
            onChange={(target) => change({ target })}
            autoComplete="off"
            spellCheck={false}
          />
          <EventPicker choices={choices} chosen={draft.types} onChange={(types) => change({ types })} error={errorOf("types")} />
        </>
      )}
    </FormDialog>
  );
}
