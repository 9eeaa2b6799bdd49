import { ChevronDownIcon } from "lucide-react";
import { type ComponentProps, type Dispatch, type ReactNode, useId } from "react";
import { isTooLong, nearLimitText, type TextLimit, tooLongText } from "@/lib/base/typed/text-limits";
import { classNames } from "./class-names";

interface FieldProps {
  label: ReactNode;
  /** What to enter, or how it is used. */
  hint?: ReactNode;
  /** The problem, and what to enter instead. */
  error?: string | null;
  /** How long its text may be, and the text: the field says so when it is near. */
  limit?: { of: TextLimit; text: string } | undefined;
  children: (control: ControlProps) => ReactNode;
}

/** Props for the control inside a field, so that screen readers read out label, hint and error with it. */
interface ControlProps {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
  "data-too-long": true | undefined;
}

/** A control with its label above and its hint or error below. */
export function Field({ label, hint, error, limit, children }: FieldProps) {
  const id = useId();
  const isOver = limit !== undefined && isTooLong(limit.text, limit.of);
  const problem = isOver ? tooLongText(limit.text, limit.of) : error;
  const count = limit === undefined || isOver ? null : nearLimitText(limit.text, limit.of);
  const note = problem || hint;
  const notes = [note ? `${id}-note` : "", count ? `${id}-count` : ""].filter((one) => one !== "").join(" ");
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        "aria-describedby": notes || undefined,
        "aria-invalid": problem ? true : undefined,
        "data-too-long": isOver || undefined,
      })}
      {note || count ? (
        <div className="flex justify-between gap-4 text-xs text-muted">
          {note ? (
            <p id={`${id}-note`} role={problem ? "alert" : undefined} className={problem ? "text-red" : undefined}>
              {note}
            </p>
          ) : null}
          {count ? (
            <p id={`${id}-count`} className="ml-auto shrink-0 tabular-nums">
              {count}
            </p>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

const box =
  "w-full rounded border border-edge bg-paper px-3 text-sm text-ink transition placeholder:text-faint hover:border-faint disabled:opacity-50 aria-invalid:border-red";

export const Input = ({ className, ...rest }: ComponentProps<"input">) => (
  <input className={classNames(box, "h-10", className)} {...rest} />
);

interface DollarInputProps extends ComponentProps<"input"> {
  /** For the frame around it. */
  frameClassName?: string;
}

/** An amount in USD: the dollar sign is part of the field and is not typed. */
export const DollarInput = ({ frameClassName = "", className, ...rest }: DollarInputProps) => (
  <div className={`relative ${frameClassName}`}>
    <span aria-hidden="true" className="absolute top-2.5 left-3 text-sm text-muted">
      $
    </span>
    <Input inputMode="decimal" autoComplete="off" className={classNames("pl-7", className)} {...rest} />
  </div>
);

const TextArea = ({ className, ...rest }: ComponentProps<"textarea">) => (
  <textarea className={classNames(box, "min-h-24 py-2", className)} {...rest} />
);

/** The system's own select: phones and screen readers support it best. Only its arrow is ours: browsers put theirs at the very edge. */
export const Select = ({ className, ...rest }: ComponentProps<"select">) => (
  <span className={classNames("relative block", className)}>
    <select className={classNames(box, "h-10 appearance-none truncate pr-9")} {...rest} />
    <ChevronDownIcon aria-hidden="true" className="pointer-events-none absolute top-3 right-3 size-4 text-muted" />
  </span>
);

/** The props of a control with its label; `onChange` gets the value instead of an event. */
type Labelled<Name extends "input" | "select" | "textarea"> = Omit<ComponentProps<Name>, "onChange"> &
  Omit<FieldProps, "children" | "limit"> & { onChange: Dispatch<string> };

interface Limited {
  limit?: TextLimit;
  value?: string;
}

const limitOf = ({ limit, value }: Limited): FieldProps["limit"] => (limit ? { of: limit, text: value ?? "" } : undefined);

export const TextField = ({ label, hint, error, limit, onChange, ...input }: Labelled<"input"> & Limited) => (
  <Field label={label} hint={hint} error={error} limit={limitOf({ limit, value: input.value })}>
    {(control) => <Input {...control} {...input} onChange={({ target }) => onChange(target.value)} />}
  </Field>
);

export const TextAreaField = ({ label, hint, error, limit, onChange, ...area }: Labelled<"textarea"> & Limited) => (
  <Field label={label} hint={hint} error={error} limit={limitOf({ limit, value: area.value })}>
    {(control) => <TextArea {...control} {...area} onChange={({ target }) => onChange(target.value)} />}
  </Field>
);

export const SelectField = ({ label, hint, error, onChange, ...select }: Labelled<"select">) => (
  <Field label={label} hint={hint} error={error}>
    {(control) => <Select {...control} {...select} onChange={({ target }) => onChange(target.value)} />}
  </Field>
);
