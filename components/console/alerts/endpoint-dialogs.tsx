"use client";

import { useRouter } from "next/navigation";
import { type FormEvent, useState } from "react";
import { toast } from "sonner";
import type { AlertEndpoint, EventChoice } from "@/lib/console/views/alerts";
import { Dialog } from "../../ui/dialog";
import { Field, Select } from "../../ui/field";
import { type FieldProblem, FormEnd } from "../keys/form-end";
import { useAction } from "../use-action";
import type { EndpointActions } from "./alert-actions";
import { EventPicker } from "./event-picker";
import { NewSecret } from "./new-secret";

interface DialogProps {
  item: AlertEndpoint;
  actions: EndpointActions;
  onClose: () => void;
}

const ofForm = (message: string): FieldProblem => ({ field: null, message });

/** Mounted only while it is open, as the others here. */
export function ChooseEvents({ item, actions, choices, onClose }: DialogProps & { choices: readonly EventChoice[] }) {
  const [chosen, setChosen] = useState(item.types);
  const [problem, setProblem] = useState<string | null>(null);
  const { busy, run } = useAction();
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const answer = await run(() => actions.chooseEvents({ endpointId: item.id, types: chosen }));
    if (!answer.ok) return setProblem(answer.message);
    toast.success("Saved. It applies from the next event.");
    onClose();
  };
  return (
    <Dialog open onOpenChange={onClose} title="Choose events" description={`For ${item.host}.`}>
      <form onSubmit={(event) => void send(event)} className="grid gap-5" noValidate>
        <EventPicker choices={choices} chosen={chosen} onChange={setChosen} error={problem} />
        <FormEnd problem={null} busy={busy} action="Save events" onCancel={onClose} />
      </form>
    </Dialog>
  );
}

export function SendSample({ item, actions, choices, onClose }: DialogProps & { choices: readonly EventChoice[] }) {
  const [type, setType] = useState(item.types?.[0] ?? choices[0]?.name ?? "");
  const [problem, setProblem] = useState<string | null>(null);
  const { busy, run } = useAction();
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const answer = await run(() => actions.sendSample({ endpointId: item.id, type }));
    if (!answer.ok) return setProblem(answer.message);
    toast.success("Sample on its way. It appears under Deliveries.");
    onClose();
  };
  return (
    <Dialog open onOpenChange={onClose} title="Send a sample" description={`An event with made-up figures, to ${item.host}.`}>
      <form onSubmit={(event) => void send(event)} className="grid gap-5" noValidate>
        <Field label="Event" hint={choices.find(({ name }) => name === type)?.when}>
          {(control) => (
            <Select {...control} value={type} onChange={({ target }) => setType(target.value)}>
              {choices.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <FormEnd problem={problem === null ? null : ofForm(problem)} busy={busy} action="Send sample" onCancel={onClose} />
      </form>
    </Dialog>
  );
}

/** Asks, then shows the new secret once. */
export function RenewSecret({ item, actions, onClose }: DialogProps) {
  const [secret, setSecret] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const { busy, run } = useAction();
  const router = useRouter();
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const answer = await run(() => actions.renewSecret({ endpointId: item.id }));
    if (answer.ok) setSecret(answer.secret);
    else setProblem(answer.message);
  };
  const stored = () => {
    onClose();
    router.refresh();
  };
  const isHeld = busy || secret !== null;
  return (
    <Dialog
      open
      mustAnswer={isHeld}
      onOpenChange={(wanted) => wanted || isHeld || onClose()}
      title={secret ? "Store your secret" : "New secret"}
      description={secret ? undefined : `For ${item.host}. For 24 hours the old secret still works: each webhook is signed with both.`}
    >
      {secret ? (
        <NewSecret secret={secret} onStored={stored} />
      ) : (
        <form onSubmit={(event) => void send(event)} className="grid gap-5">
          <FormEnd problem={problem === null ? null : ofForm(problem)} busy={busy} action="Make new secret" onCancel={onClose} />
        </form>
      )}
    </Dialog>
  );
}

export function ResendFailed({ item, actions, onClose }: DialogProps) {
  const [hours, setHours] = useState("24");
  const [problem, setProblem] = useState<string | null>(null);
  const { busy, run } = useAction();
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const answer = await run(() => actions.resendFailed({ endpointId: item.id, hours: Number(hours) }));
    if (!answer.ok) return setProblem(answer.message);
    toast.success(answer.count === 0 ? "Nothing failed in that time." : `${answer.count} on their way again.`);
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Resend what failed"
      description={`To ${item.host}, in order. Each event keeps its ID, so your receiver knows one it has already handled.`}
    >
      <form onSubmit={(event) => void send(event)} className="grid gap-5" noValidate>
        <Field label="Failed in the last">
          {(control) => (
            <Select {...control} value={hours} onChange={({ target }) => setHours(target.value)}>
              <option value="24">24 hours</option>
              <option value="168">7 days</option>
            </Select>
          )}
        </Field>
        <FormEnd problem={problem === null ? null : ofForm(problem)} busy={busy} action="Resend" onCancel={onClose} />
      </form>
    </Dialog>
  );
}
