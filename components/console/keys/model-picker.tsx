"use client";

import { SearchIcon } from "lucide-react";
import { type Dispatch, useState } from "react";
import { Input } from "../../ui/field";
import type { ModelChoice } from "./key-actions";

interface ModelPickerProps {
  models: readonly ModelChoice[];
  /** Null: every model. */
  chosen: readonly string[] | null;
  onChange: Dispatch<readonly string[] | null>;
  error?: string | null;
}

/** All models, or some of them. */
export function ModelPicker({ models, chosen, onChange, error = null }: ModelPickerProps) {
  return (
    <fieldset aria-describedby={error ? "models-note" : undefined} className="grid gap-1.5">
      <legend className="mb-1.5 text-sm font-medium">Models</legend>
      <div className="flex flex-wrap gap-x-6 gap-y-2 text-sm">
        <Choice label="All models, including future ones" checked={chosen === null} onChoose={() => onChange(null)} />
        <Choice label="Selected models" checked={chosen !== null} onChoose={() => onChange(chosen ?? [])} />
      </div>
      {chosen ? <ModelList models={models} chosen={chosen} onChange={onChange} /> : null}
      {error ? (
        <p id="models-note" role="alert" className="text-xs text-red">
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}

function Choice({ label, checked, onChoose }: { label: string; checked: boolean; onChoose: () => void }) {
  return (
    <label className="flex cursor-pointer items-center gap-2">
      <input type="radio" name="models" checked={checked} onChange={onChoose} className="size-4 accent-copper" />
      {label}
    </label>
  );
}

interface ModelListProps {
  models: readonly ModelChoice[];
  chosen: readonly string[];
  onChange: Dispatch<readonly string[]>;
}

function ModelList({ models, chosen, onChange }: ModelListProps) {
  const [search, setSearch] = useState("");
  const words = search.toLowerCase().split(/\s+/);
  const shown = models.filter(({ id, provider }) => words.every((word) => `${id} ${provider}`.toLowerCase().includes(word)));
  const toggle = (id: string) => onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <div className="mt-1 overflow-hidden rounded border border-edge">
      <div className="relative border-b border-line">
        <SearchIcon aria-hidden="true" className="pointer-events-none absolute top-3 left-3 size-4 text-faint" />
        <Input
          type="search"
          aria-label="Search models"
          placeholder="Search models"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
          // Enter would submit the surrounding form.
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
          autoComplete="off"
          spellCheck={false}
          className="rounded-none border-0 pl-9 -outline-offset-2"
        />
      </div>
      <ul className="max-h-36 overflow-y-auto py-1">
        {shown.map(({ id, provider }) => (
          <li key={id}>
            <label className="flex cursor-pointer items-center gap-2.5 px-3 py-1.5 text-sm hover:bg-panel">
              <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} className="size-4 shrink-0 accent-copper" />
              <span className="min-w-0 truncate font-mono">{id}</span>
              <span className="ml-auto shrink-0 text-xs text-muted">{provider}</span>
            </label>
          </li>
        ))}
        {shown.length === 0 ? <li className="px-3 py-6 text-center text-sm text-muted">No models match “{search}”.</li> : null}
      </ul>
      <p role="status" className="border-t border-line px-3 py-1.5 text-xs text-muted">
        {chosen.length} of {models.length} selected
      </p>
    </div>
  );
}
