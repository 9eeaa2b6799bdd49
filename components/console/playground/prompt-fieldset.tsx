import type { ReactNode } from "react";
import { countText } from "@/components/ui/text/number-text";
import type { ModelPrice } from "@/lib/console/views/models";
import { SelectField, TextAreaField, TextField } from "../../ui/field";
import type { FormProblems, PromptForm } from "./prompt-form";

interface PromptFieldsetProps {
  models: readonly ModelPrice[];
  form: PromptForm;
  problems: FormProblems;
  onChange: (part: Partial<PromptForm>) => void;
  /** Below the prompt: what is wrong with its length. */
  children?: ReactNode;
}

/** The input fields of a run. */
export function PromptFieldset({ models, form, problems, onChange, children }: PromptFieldsetProps) {
  const model = models.find(({ id }) => id === form.model);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <SelectField
        label="Model"
        hint={model ? <ModelLimits model={model} /> : null}
        value={form.model}
        onChange={(name) => onChange({ model: name })}
      >
        {providersOf(models).map((provider) => (
          <optgroup key={provider} label={provider}>
            {models
              .filter((row) => row.provider === provider)
              .map(({ id, inputPrice, outputPrice }) => (
                <option key={id} value={id}>
                  {id} · ${inputPrice} / ${outputPrice}
                </option>
              ))}
          </optgroup>
        ))}
      </SelectField>
      <TextAreaField
        label="System message (optional)"
        className="min-h-10"
        rows={1}
        value={form.system}
        onChange={(system) => onChange({ system })}
      />
      <TextAreaField label="Prompt" className="min-h-28" rows={5} value={form.prompt} onChange={(prompt) => onChange({ prompt })} />
      {children}
      <div className="grid grid-cols-2 items-start gap-4">
        <TextField
          label="Max tokens"
          error={problems.maxTokens}
          inputMode="numeric"
          value={form.maxTokens}
          onChange={(maxTokens) => onChange({ maxTokens })}
        />
        <TextField
          label="Temperature"
          error={problems.temperature}
          inputMode="decimal"
          placeholder="Model default"
          value={form.temperature}
          onChange={(temperature) => onChange({ temperature })}
        />
      </div>
    </div>
  );
}

const providersOf = (models: readonly ModelPrice[]): string[] => [...new Set(models.map(({ provider }) => provider))];

const ModelLimits = ({ model }: { model: ModelPrice }) => (
  <>
    In / out: USD per 1M tokens. Context {countText(model.contextWindow)}, output up to {countText(model.maxOutputTokens)}.
  </>
);
