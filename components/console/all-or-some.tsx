import type { Dispatch, ReactNode } from "react";

interface AllOrSomeProps {
  /** Names the group of radio buttons, and the note of its error. */
  name: string;
  legend: string;
  all: string;
  some: string;
  /** Null: all. */
  chosen: readonly string[] | null;
  onChange: Dispatch<readonly string[] | null>;
  error: string | null;
  /** The list to choose from, shown for some. */
  children: ReactNode;
}

/** The choice between everything, also things added later, and a list. */
export function AllOrSome({ name, legend, all, some, chosen, onChange, error, children }: AllOrSomeProps) {
  return (
    <fieldset data-wrong={error ? true : undefined} aria-describedby={error ? `${name}-note` : undefined} className="grid gap-1.5">
      <legend className="mb-1.5 text-sm font-medium">{legend}</legend>
      <div className="flex flex-wrap gap-x-6 gap-y-2 text-sm">
        <Choice name={name} label={all} checked={chosen === null} onChoose={() => onChange(null)} />
        <Choice name={name} label={some} checked={chosen !== null} onChoose={() => onChange(chosen ?? [])} />
      </div>
      {children}
      {error ? (
        <p id={`${name}-note`} role="alert" className="text-xs text-red">
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}

interface ChoiceProps {
  name: string;
  label: string;
  checked: boolean;
  onChoose: () => void;
}

function Choice({ name, label, checked, onChoose }: ChoiceProps) {
  return (
    <label className="flex cursor-pointer items-center gap-2">
      <input type="radio" name={name} checked={checked} onChange={onChoose} className="size-4 accent-copper" />
      {label}
    </label>
  );
}

/** The list without this one, or with it. */
export const toggled = (chosen: readonly string[], one: string): readonly string[] =>
  chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one];
