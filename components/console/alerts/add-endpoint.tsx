"use client";

import { PlusIcon } from "lucide-react";
import { useRouter } from "next/navigation";
import { type FormEvent, useState } from "react";
import { toast } from "sonner";
import type { EventChoice } from "@/lib/console/views/alerts";
import type { Refusal } from "@/lib/console/views/answer";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Field, Input, Select } from "../../ui/field";
import { FormEnd } from "../keys/form-end";
import { useAction } from "../use-action";
import type { EndpointActions, NewEndpointInput } from "./alert-actions";
import { EventPicker } from "./event-picker";
import { NewSecret } from "./new-secret";

interface AddEndpointProps {
  add: EndpointActions["addEndpoint"];
  choices: readonly EventChoice[];
  /** Why no e-mail address can be added; null when one can. */
  mailProblem: string | null;
  disabled: boolean;
}

/** The button that adds an endpoint, its form, and the secret of a webhook, shown once. */
export function AddEndpoint({ add, choices, mailProblem, disabled }: AddEndpointProps) {
  const [open, setOpen] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const { busy, run } = useAction();
  const router = useRouter();
  const close = () => {
    setOpen(false);
    setSecret(null);
  };
  const finish = (kind: NewEndpointInput["kind"]) => {
    close();
    toast.success(
      kind === "email" ? "Added. Open the link in the mail that we sent there." : "Endpoint added. Send it a sample to try it.",
    );
    router.refresh(); // only now: a re-rendered list must not remove this dialog
  };
  const isHeld = busy || secret !== null; // closing would lose the secret
  return (
    <>
      <Button look="primary" disabled={disabled} onClick={() => setOpen(true)}>
        <PlusIcon aria-hidden="true" /> Add endpoint
      </Button>
      <Dialog
        open={open}
        mustAnswer={isHeld}
        onOpenChange={(wanted) => wanted || isHeld || close()}
        title={secret ? "Store your secret" : "Add endpoint"}
        description={secret ? undefined : "We send each event there within seconds, and again for three days if it fails."}
      >
        {secret ? (
          <NewSecret secret={secret} onStored={() => finish("webhook")} />
        ) : (
          <EndpointForm
            choices={choices}
            mailProblem={mailProblem}
            busy={busy}
            onCancel={close}
            submit={(input) => run(() => add(input))}
            onAdded={(made, kind) => (made === null ? finish(kind) : setSecret(made))}
          />
        )}
      </Dialog>
    </>
  );
}

interface EndpointFormProps {
  choices: readonly EventChoice[];
  mailProblem: string | null;
  busy: boolean;
  submit: EndpointActions["addEndpoint"];
  onAdded: (secret: string | null, kind: NewEndpointInput["kind"]) => void;
  onCancel: () => void;
}

const url = { label: "URL", type: "url", placeholder: "https://example.com/webhooks" } as const;

const kinds = {
  webhook: { ...url, name: "Webhook", hint: "An https URL of your server. Each request is signed after Standard Webhooks." },
  chat: { ...url, name: "Chat (Slack or Discord)", hint: "An incoming webhook of Slack, or one of Discord with /slack at its end." },
  email: {
    ...{ label: "E-mail address", type: "email", placeholder: "you@example.com", name: "E-mail" },
    hint: "We send it a link first. Once that is opened, events come at most every 10 minutes, together in one mail.",
  },
} as const;

const kindNames = Object.keys(kinds) as (keyof typeof kinds)[];

function EndpointForm({ choices, mailProblem, busy, submit, onAdded, onCancel }: EndpointFormProps) {
  const [draft, setDraft] = useState<NewEndpointInput>({ kind: "webhook", target: "", types: null });
  const [problem, setProblem] = useState<Refusal | null>(null);
  const change = (part: Partial<NewEndpointInput>) => setDraft({ ...draft, ...part });
  const errorOf = (field: string) => (problem?.field === field ? problem.message : null);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(null);
    const answer = await submit(draft);
    if (answer.ok) onAdded(answer.secret, draft.kind);
    else setProblem(answer);
  };
  const { label, hint, name: _name, ...input } = kinds[draft.kind];
  const isOfField = problem?.field === "target" || problem?.field === "types";
  return (
    <form onSubmit={(event) => void send(event)} className="grid gap-5" noValidate>
      <Field label="Kind" hint={mailProblem}>
        {(control) => (
          <Select
            {...control}
            value={draft.kind}
            onChange={({ target }) => change({ kind: kindNames.find((kind) => kind === target.value) ?? "webhook" })}
          >
            {kindNames.map((kind) => (
              <option key={kind} value={kind} disabled={kind === "email" && mailProblem !== null}>
                {kinds[kind].name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={label} hint={hint} error={errorOf("target")}>
        {(control) => (
          <Input
            {...control}
            {...input}
            value={draft.target}
            onChange={({ target }) => change({ target: target.value })}
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
      <EventPicker choices={choices} chosen={draft.types} onChange={(types) => change({ types })} error={errorOf("types")} />
      <FormEnd
        problem={problem && !isOfField ? { field: null, message: problem.message } : null}
        busy={busy}
        action="Add endpoint"
        onCancel={onCancel}
      />
    </form>
  );
}
