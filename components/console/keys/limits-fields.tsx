"use client";

import type { Dispatch } from "react";
import { dayText } from "@/components/ui/text/time-text";
import { formatUsd } from "@/lib/base/money";
import { textLimits } from "@/lib/base/typed/text-limits";
import type { OwnKey } from "@/lib/console/views/keys";
import { DollarInput, Field, Input, Select } from "../../ui/field";
import type { ErrorOf } from "../form-dialog";
import { AccessFields } from "./access-fields";
import { Advanced } from "./advanced";
import type { ModelChoice } from "./key-actions";
import { isAdvanced, type LimitsDraft } from "./limits-draft";
import { ModelPicker } from "./model-picker";

interface LimitsFieldsProps {
  draft: LimitsDraft;
  onChange: Dispatch<LimitsDraft>;
  models: readonly ModelChoice[];
  errorOf: ErrorOf;
  /** The existing key. */
  item?: OwnKey;
}

const advancedFields = ["expiry", "clip", "alarm", "models", "scopes", "networks"];

/** The names of the fields in a refusal. */
export const limitsFields = ["cap", ...advancedFields];

/**
 * The fields for a key's spending; the rest is folded away unless it is set or wrong: when it expires, which models it may call, and so on.
 */
export function LimitsFields({ draft, onChange, models, errorOf, item }: LimitsFieldsProps) {
  const change = (part: Partial<LimitsDraft>) => onChange({ ...draft, ...part });
  return (
    <>
      <CapField draft={draft} change={change} error={errorOf("cap")} />
      <Advanced isSet={isAdvanced(draft)} isWrong={advancedFields.some((field) => errorOf(field) !== null)}>
        <ExpiryField draft={draft} change={change} error={errorOf("expiry")} expiresAt={item?.expiresAt ?? null} />
        <ModelPicker models={models} chosen={draft.models} onChange={(chosen) => change({ models: chosen })} error={errorOf("models")} />
        <ClipField draft={draft} change={change} error={errorOf("clip")} />
        <AlarmField draft={draft} change={change} error={errorOf("alarm")} spentInHour={item?.spentInHour ?? null} />
        <AccessFields draft={draft} change={change} errorOf={errorOf} />
      </Advanced>
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
  const hint = capped ? `Requests that could exceed the limit fail with 402 until ${end}` : "The key can spend your whole balance.";
  return (
    <Field label="Spending limit" error={error} hint={hint} limit={{ of: textLimits.amount, text: capped ? draft.amount : "" }}>
      {({ id, ...note }) => (
        <div className="grid gap-3 sm:grid-cols-2">
          <Select
            id={id}
            {...(capped ? { "aria-describedby": note["aria-describedby"] } : note)}
            value={draft.period}
            onChange={({ target }) => change({ period: target.value as LimitsDraft["period"] })}
            className={capped ? "" : "sm:col-span-2"}
          >
            <option value="none">No limit</option>
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
    ? "If a request could cost more than is left, its answer is shortened. If fewer than this many tokens fit, it fails with 402."
    : "If a request could cost more than is left, it fails with 402.";
  return (
    <Field label="When the balance or limit runs low" error={error} hint={hint} limit={{ of: textLimits.count, text: minTokens }}>
      {({ id, ...note }) => (
        <div className="grid gap-3 sm:grid-cols-2">
          <Select
            id={id}
            aria-describedby={note["aria-describedby"]}
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
  // The refusal names the alarm; the first of its two numbers shows which of them is wrong.
  const isFactorWrong = !/^([2-9]|[1-9]\d|100)$/.test(factor.trim());
  const spent = spentInHour === null ? "" : ` It spent ${formatUsd(spentInHour)} in the last 60 minutes.`;
  const hint = isOn
    ? `Sent when the key spends more than this many times its usual in 60 minutes, and more than this amount. A new account has no usual yet: there it is sent above $10, and pauses nothing. Running requests finish.${spent}`
    : `No alert when the key spends far more than usual.${spent}`;
  return (
    <Field label="Unusual spending" error={error} hint={hint} limit={{ of: textLimits.amount, text: above }}>
      {({ id, ...note }) => (
        <div className="grid gap-3 sm:grid-cols-2">
          <Select
            id={id}
            aria-describedby={note["aria-describedby"]}
            value={alarm}
            onChange={({ target }) => change({ alarm: target.value as LimitsDraft["alarm"] })}
            className="sm:col-span-2"
          >
            <option value="tell">Alert me</option>
            <option value="pause">Alert me and pause the key</option>
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
