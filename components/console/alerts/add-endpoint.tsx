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
  disabled: boolean;
}

/** The button that adds an endpoint, its form, and the secret of a webhook, shown once. */
export function AddEndpoint({ add, choices, disabled }: AddEndpointProps) {
  const [open, setOpen] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const { busy, run } = useAction();
  const router = useRouter();
  const close = () => {
    setOpen(false);
    setSecret(null);
  };
  const finish = () => {
    close();
    toast.success("Endpoint added. Send it a sample to try it.");
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
          <NewSecret secret={secret} onStored={finish} />
        ) : (
          <EndpointForm
            choices={choices}
            busy={busy}
            onCancel={close}
            submit={(input) => run(() => add(input))}
            onAdded={(made) => (made === null ? finish() : setSecret(made))}
          />
        )}
      </Dialog>
    </>
  );
}

interface EndpointFormProps {
  choices: readonly EventChoice[];
  busy: boolean;
  submit: EndpointActions["addEndpoint"];
  onAdded: (secret: string | null) => void;
  onCancel: () => void;
}

const hints = {
  webhook: "An https URL of your server. Each request is signed after Standard Webhooks.",
  chat: "An incoming webhook of Slack, or one of Discord with /slack at its end.",
};

function EndpointForm({ choices, busy, submit, onAdded, onCancel }: EndpointFormProps) {
  const [draft, setDraft] = useState<NewEndpointInput>({ kind: "webhook", target: "", types: null });
  const [problem, setProblem] = useState<Refusal | null>(null);
  const change = (part: Partial<NewEndpointInput>) => setDraft({ ...draft, ...part });
  const errorOf = (field: string) => (problem?.field === field ? problem.message : null);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(null);
    const answer = await submit(draft);
    if (answer.ok) onAdded(answer.secret);
    else setProblem(answer);
  };
  const isOfField = problem?.field === "target" || problem?.field === "types";
  return (
    <form onSubmit={(event) => void send(event)} className="grid gap-5" noValidate>
      <Field label="Kind">
        {(control) => (
          <Select {...control} value={draft.kind} onChange={({ target }) => change({ kind: target.value === "chat" ? "chat" : "webhook" })}>
            <option value="webhook">Webhook</option>
            <option value="chat">Chat (Slack or Discord)</option>
          </Select>
        )}
      </Field>
      <Field label="URL" hint={hints[draft.kind]} error={errorOf("target")}>
        {(control) => (
          <Input
            {...control}
            type="url"
            value={draft.target}
            onChange={({ target }) => change({ target: target.value })}
            placeholder="https://example.com/webhooks"
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
