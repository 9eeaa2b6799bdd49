import type { ReactNode } from "react";
import { Field, Input } from "@/components/ui/field";
import { textLimits } from "@/lib/base/typed/text-limits";

interface UsdcFieldProps {
  hint: ReactNode;
  error: string | null;
  placeholder?: string;
  value: string;
  disabled: boolean;
  onChange: (text: string) => void;
  /** The message when the wallet lacks the chain's fee; null when it does not. */
  feeProblem: string | null;
}

/** The amount of USDC requested from a wallet, and what it lacks for the fee. */
export const UsdcField = ({ hint, error, placeholder, value, disabled, onChange, feeProblem }: UsdcFieldProps) => (
  <>
    <Field label="Amount in USDC" hint={hint} error={error} limit={{ of: textLimits.amount, text: value }}>
      {(control) => (
        <Input
          {...control}
          inputMode="decimal"
          autoComplete="off"
          placeholder={placeholder}
          value={value}
          disabled={disabled}
          onChange={({ target }) => onChange(target.value)}
          className="max-w-48 font-mono"
        />
      )}
    </Field>
    {feeProblem ? (
      <p role="alert" className="text-sm text-amber-ink">
        {feeProblem}
      </p>
    ) : null}
  </>
);
