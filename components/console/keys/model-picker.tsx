"use client";

import { SearchIcon } from "lucide-react";
import { type Dispatch, useState } from "react";
import { isTooLong, textLimits, tooLongText } from "@/lib/base/typed/text-limits";
import { Input } from "../../ui/field";
import { AllOrSome, toggled } from "../all-or-some";
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
    <AllOrSome
      name="models"
      legend="Models"
      all="All models, including future ones"
      some="Selected models"
      chosen={chosen}
      onChange={onChange}
      error={error}
    >
      {chosen ? <ModelList models={models} chosen={chosen} onChange={onChange} /> : null}
    </AllOrSome>
  );
}

interface ModelListProps {
  models: readonly ModelChoice[];
  chosen: readonly string[];
  onChange: Dispatch<readonly string[]>;
}

function ModelList({ models, chosen, onChange }: ModelListProps) {
  const [search, setSearch] = useState("");
  const isOver = isTooLong(search, textLimits.search);
  const words = search.toLowerCase().split(/\s+/);
  const shown = models.filter(({ id, provider }) => words.every((word) => `${id} ${provider}`.toLowerCase().includes(word)));
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
              <input
                type="checkbox"
                checked={chosen.includes(id)}
                onChange={() => onChange(toggled(chosen, id))}
                className="size-4 shrink-0 accent-copper"
              />
              <span className="min-w-0 truncate font-mono">{id}</span>
              <span className="ml-auto shrink-0 text-xs text-muted">{provider}</span>
            </label>
          </li>
        ))}
        {shown.length === 0 ? (
          <li className="px-3 py-6 text-center text-sm text-muted [overflow-wrap:anywhere]">
            {isOver ? tooLongText(search, textLimits.search) : `No models match “${search}”.`}
          </li>
        ) : null}
      </ul>
      <p role="status" className="border-t border-line px-3 py-1.5 text-xs text-muted">
        {chosen.length} of {models.length} selected
      </p>
    </div>
  );
}
