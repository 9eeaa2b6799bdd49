"use client";

import { SlidersHorizontalIcon } from "lucide-react";
import { useState } from "react";
import { countText } from "@/components/ui/text/number-text";
import type { ModelPrice } from "@/lib/console/views/models";
import { Button } from "../../../ui/button";
import { SelectField, TextAreaField, TextField } from "../../../ui/field";
import { FoldSummary } from "../../../ui/fold-summary";
import { efforts } from "./body";
import type { Setup, SetupProblems } from "./setup";

interface SetupPanelProps {
  models: readonly ModelPrice[];
  setup: Setup;
  problems: SetupProblems;
  onChange: (part: Partial<Setup>) => void;
}

/** The model, and how it answers. On a phone the settings are behind a button. */
export function SetupPanel({ models, setup, problems, onChange }: SetupPanelProps) {
  const [isOpen, setOpen] = useState(false);
  const isShown = isOpen || Object.keys(problems).length > 0;
  return (
    <section aria-label="Set-up" className="grid grid-cols-[minmax(0,1fr)] content-start gap-4">
      <ModelField models={models} model={setup.model} onChange={(model) => onChange({ model })} />
      <Button className="justify-self-start max-md:h-11 lg:hidden" aria-expanded={isShown} onClick={() => setOpen(!isShown)}>
        <SlidersHorizontalIcon aria-hidden="true" /> Settings
      </Button>
      <div className={`grid grid-cols-[minmax(0,1fr)] gap-4 ${isShown ? "" : "max-lg:hidden"}`}>
        <TextAreaField
          label="System message (optional)"
          className="min-h-10"
          rows={2}
          value={setup.system}
          onChange={(system) => onChange({ system })}
        />
        <div className="grid grid-cols-2 items-start gap-4">
          <TextField
            label="Max tokens"
            error={problems.maxTokens}
            inputMode="numeric"
            value={setup.maxTokens}
            onChange={(maxTokens) => onChange({ maxTokens })}
          />
          <TextField
            label="Temperature"
            error={problems.temperature}
            inputMode="decimal"
            placeholder="Default"
            value={setup.temperature}
            onChange={(temperature) => onChange({ temperature })}
          />
        </div>
        <SelectField
          label="Reasoning effort"
          hint={setup.effort === "" ? null : "Some models ignore this."}
          value={setup.effort}
          onChange={(effort) => onChange({ effort })}
        >
          <option value="">Default</option>
          {efforts.map((effort) => (
            <option key={effort} value={effort}>
              {effort}
            </option>
          ))}
        </SelectField>
        <JsonFields setup={setup} problems={problems} onChange={onChange} />
      </div>
    </section>
  );
}

interface ModelFieldProps {
  models: readonly ModelPrice[];
  model: string;
  onChange: (id: string) => void;
}

function ModelField({ models, model: id, onChange }: ModelFieldProps) {
  const model = models.find((row) => row.id === id);
  const limits = model
    ? `In / out: USD per 1M tokens. Context ${countText(model.contextWindow)}, output up to ${countText(model.maxOutputTokens)}.`
    : null;
  return (
    <SelectField label="Model" hint={limits} value={id} onChange={onChange}>
      {[...new Set(models.map(({ provider }) => provider))].map((provider) => (
        <optgroup key={provider} label={provider}>
          {models
            .filter((row) => row.provider === provider)
            .map((row) => (
              <option key={row.id} value={row.id}>
                {row.id} · ${row.inputPrice} / ${row.outputPrice}
              </option>
            ))}
        </optgroup>
      ))}
    </SelectField>
  );
}

const exampleTool = `[{
  "name": "get_weather",
  "description": "Current weather of a city",
  "parameters": {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"]
  }
}]`;

const exampleSchema = `{
  "type": "object",
  "properties": {"answer": {"type": "string"}},
  "required": ["answer"],
  "additionalProperties": false
}`;

/** Tools and the schema of the answer, as JSON; open where one is set. */
function JsonFields({ setup, problems, onChange }: Omit<SetupPanelProps, "models">) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      open={isOpen || setup.tools !== "" || setup.schema !== ""}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="rounded border border-line"
    >
      <FoldSummary className="min-h-10 px-3 text-sm text-muted max-md:min-h-11">Tools and structured output</FoldSummary>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 border-t border-line p-3">
        <JsonField
          label="Tools (JSON)"
          example={exampleTool}
          text={setup.tools}
          error={problems.tools}
          onText={(tools) => onChange({ tools })}
        />
        <JsonField
          label="Answer schema (JSON)"
          example={exampleSchema}
          text={setup.schema}
          error={problems.schema}
          onText={(schema) => onChange({ schema })}
        />
      </div>
    </details>
  );
}

interface JsonFieldProps {
  label: string;
  example: string;
  text: string;
  error: string | undefined;
  onText: (text: string) => void;
}

const JsonField = ({ label, example, text, error, onText }: JsonFieldProps) => (
  <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
    <TextAreaField
      label={label}
      error={error}
      className="min-h-24 font-mono text-xs"
      rows={4}
      spellCheck={false}
      value={text}
      onChange={onText}
    />
    {text === "" ? (
      <Button look="quiet" size="small" className="justify-self-start max-md:h-11" onClick={() => onText(example)}>
        Use an example
      </Button>
    ) : null}
  </div>
);
