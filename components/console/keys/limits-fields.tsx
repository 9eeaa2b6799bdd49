"use client";

import type { Dispatch } from "react";
import { dayText } from "@/components/ui/text/time-text";
import { formatUsd } from "@/lib/base/money";
import type { KeyUse, OwnKey } from "@/lib/console/views/keys";
import { DollarInput, Field, Input, Select, SelectField, TextField } from "../../ui/field";
import type { ErrorOf } from "../form-dialog";
import type { ModelChoice } from "./key-actions";
import type { LimitsDraft } from "./limits-draft";
import { ModelPicker } from "./model-picker";

interface LimitsFieldsProps {
  draft: LimitsDraft;
  onChange: Dispatch<LimitsDraft>;
  models: readonly ModelChoice[];
  errorOf: ErrorOf;
  /** The existing key. */
  item?: OwnKey;
}

/** The names of the fields in a refusal. */
export const limitsFields = ["expiry", "cap", "clip", "alarm", "models", "scopes", "networks"];

const uses: Record<KeyUse, { text: string; hint: string }> = {
  spend: { text: "Send prompts", hint: "It cannot read balance, usage or receipts." },
  spend_and_read: { text: "Send prompts, read its own usage", hint: "It also reads the balance, but not what your other keys did." },
  spend_and_account: { text: "Send prompts, read the account", hint: "It also reads the usage of all your keys, and your events." },
  read: { text: "Read its own usage", hint: "It reads the balance too, and cannot spend." },
  read_account: { text: "Read the account", hint: "It reads the usage of all your keys and your events, and cannot spend." },
};

interface AccessFieldsProps {
  draft: LimitsDraft;
  change: Dispatch<Partial<LimitsDraft>>;
  errorOf: (field: string) => string | null;
}

/** When a key expires, what it may spend, what happens when that is too little, which models it may call, and what else it may do. */
export function LimitsFields({ draft, onChange, models, errorOf, item }: LimitsFieldsProps) {
  const change = (part: Partial<LimitsDraft>) => onChange({ ...draft, ...part });
  return (
    <>
      <ExpiryField draft={draft} change={change} error={errorOf("expiry")} expiresAt={item?.expiresAt ?? null} />
      <CapField draft={draft} change={change} error={errorOf("cap")} />
      <ClipField draft={draft} change={change} error={errorOf("clip")} />
      <AlarmField draft={draft} change={change} error={errorOf("alarm")} spentInHour={item?.spentInHour ?? null} />
      <ModelPicker models={models} chosen={draft.models} onChange={(chosen) => change({ models: chosen })} error={errorOf("models")} />
      <AccessFields draft={draft} change={change} errorOf={errorOf} />
    </>
  );
}

interface PartProps {
  draft: LimitsDraft;
  change: Dispatch<Partial<LimitsDraft>>;
  error: string | null;
}

function ExpiryField({ draft, change, error, expiresAt }: PartProps & { expiresAt: Date | null }) {
  const byDate = draft.expiry === "date";
  return (
    <Field label="Expires" error={error} hint={byDate ? "The key works until the end of that day (UTC)." : undefined}>
      {({ id, ...note }) => (
        <div className="grid gap-3 sm:grid-cols-2">
          <Select
            id={id}
            {...note}
            value={draft.expiry}
            onChange={({ target }) => change({ expiry: target.value as LimitsDraft["expiry"] })}
            className={byDate ? "" : "sm:col-span-2"}
          >
            {expiresAt ? <option value="keep">No change: {dayText(expiresAt)}</option> : null}
            <option value="never">Never</option>
            <option value="7">In 7 days</option>
            <option value="30">In 30 days</option>
            <option value="90">In 90 days</option>
            <option value="date">Custom date…</option>
          </Select>
          {byDate ? (
            <Input
              type="date"
              aria-label="Last day"
              {...note}
              value={draft.date}
              onChange={({ target }) => change({ date: target.value })}
              required
            />
          ) : null}
        </div>
      )}
    </Field>
  );
}

function CapField({ draft, change, error }: PartProps) {
  const capped = draft.period !== "none";
  const end = draft.period === "total" ? "you raise it." : "the next period (UTC; weeks start on Monday).";
  return (
    <Field label="Spending cap" error={error} hint={capped ? `At the cap, requests fail with 402 until ${end}` : undefined}>
      {({ id, ...note }) => (
        <div className="grid gap-3 sm:grid-cols-2">
          <Select
            id={id}
            {...note}
            value={draft.period}
            onChange={({ target }) => change({ period: target.value as LimitsDraft["period"] })}
            className={capped ? "" : "sm:col-span-2"}
          >
            <option value="none">No cap</option>
            <option value="hour">USD per hour</option>
            <option value="day">USD per day</option>
            <option value="week">USD per week</option>
            <option value="month">USD per month</option>
            <option value="total">USD in total</option>
          </Select>
          {capped ? (
            <DollarInput
              aria-label="Amount in USD"
              {...note}
              placeholder="5.00"
              value={draft.amount}
              onChange={({ target }) => change({ amount: target.value })}
            />
          ) : null}
        </div>
      )}
    </Field>
  );
}

function ClipField({ draft: { clips, minTokens }, change, error }: PartProps) {
  const hint = clips
    ? "A request that could cost more than is left gets a shorter answer. If not even this many tokens fit, it fails with 402."
    : "A request that could cost more than is left fails with 402.";
  return (
    <Field label="When money runs low" error={error} hint={hint}>
      {({ id, ...note }) => (
        <div className="grid gap-3 sm:grid-cols-2">
          <Select
            id={id}
            {...note}
            value={clips ? "clip" : "refuse"}
            onChange={({ target }) => change({ clips: target.value === "clip" })}
            className={clips ? "" : "sm:col-span-2"}
          >
            <option value="refuse">Refuse the request</option>
            <option value="clip">Shorten the answer</option>
          </Select>
          {clips ? (
            <NumberWithUnit
              unit="tokens"
              label="Minimum tokens"
              note={note}
              className="pr-16"
              value={minTokens}
              onChange={(text) => change({ minTokens: text })}
            />
          ) : null}
        </div>
      )}
    </Field>
  );
}

function AlarmField({ draft: { alarm, factor, above }, change, error, spentInHour }: PartProps & { spentInHour: bigint | null }) {
  const isOn = alarm !== "off";
  // The refusal names the alarm; which of its two numbers is wrong is seen from the first.
  const isFactorWrong = !/^([2-9]|[1-9]\d|100)$/.test(factor.trim());
  const spent = spentInHour === null ? "" : ` It spent ${formatUsd(spentInHour)} in the last 60 minutes.`;
  const hint = isOn
    ? `Raised when the key spends this many times its usual in an hour, and more than this amount. Running requests are finished.${spent}`
    : `Nobody is told when the key spends far more than usual.${spent}`;
  return (
    <Field label="Spending alarm" error={error} hint={hint}>
      {({ id, ...note }) => (
        <div className="grid gap-3 sm:grid-cols-2">
          <Select
            id={id}
            aria-describedby={note["aria-describedby"]}
            value={alarm}
            onChange={({ target }) => change({ alarm: target.value as LimitsDraft["alarm"] })}
            className="sm:col-span-2"
          >
            <option value="tell">Tell me</option>
            <option value="pause">Tell me and pause the key</option>
            <option value="off">Off</option>
          </Select>
          {isOn ? (
            <>
              <NumberWithUnit
                unit="times usual"
                label="Times its usual spend"
                note={{ ...note, "aria-invalid": error && isFactorWrong ? true : undefined }}
                className="pr-24"
                value={factor}
                onChange={(text) => change({ factor: text })}
              />
              <DollarInput
                aria-label="More than, USD in an hour"
                aria-describedby={note["aria-describedby"]}
                aria-invalid={error && !isFactorWrong ? true : undefined}
                value={above}
                onChange={({ target }) => change({ above: target.value })}
              />
            </>
          ) : null}
        </div>
      )}
    </Field>
  );
}

interface NumberWithUnitProps {
  label: string;
  unit: string;
  /** The field's hint or error. */
  note: { "aria-describedby"?: string | undefined; "aria-invalid"?: boolean | undefined };
  /** Room for the unit. */
  className: string;
  value: string;
  onChange: Dispatch<string>;
}

function NumberWithUnit({ label, unit, note, className, value, onChange }: NumberWithUnitProps) {
  return (
    <div className="relative">
      <Input
        inputMode="numeric"
        aria-label={label}
        {...note}
        className={className}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <span aria-hidden="true" className="absolute top-2.5 right-3 text-sm text-muted">
        {unit}
      </span>
    </div>
  );
}

/** What a key may do, and from which addresses. */
const AccessFields = ({ draft: { use, networks }, change, errorOf }: AccessFieldsProps) => (
  <>
    <SelectField
      label="Allowed to"
      error={errorOf("scopes")}
      hint={uses[use].hint}
      value={use}
      onChange={(wanted) => change({ use: wanted as KeyUse })}
    >
      {Object.entries(uses).map(([name, { text }]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </SelectField>
    <TextField
      label="Allowed addresses"
      error={errorOf("networks")}
      hint="IP addresses or CIDR blocks, separated by spaces. Leave empty to allow all."
      value={networks}
      onChange={(addresses) => change({ networks: addresses })}
      placeholder="203.0.113.7 198.51.100.0/24"
      autoComplete="off"
      spellCheck={false}
    />
  </>
);
