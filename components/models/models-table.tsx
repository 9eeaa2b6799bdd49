"use client";

import { useSearchParams } from "next/navigation";
import { type FormEvent, useEffect, useMemo, useRef, useState } from "react";
import type { ModelPrice } from "@/lib/console/views/models";
import { DataTable } from "../ui/data-table";
import { modelColumns } from "./model-columns";
import { SortSelect } from "./sort-controls";
import { arrange, nextSort, readView, type TableView, writeView } from "./table-view";
import { SearchField, TokenField } from "./view-fields";

const FORM = "models-view";

interface ModelsTableProps {
  rows: readonly ModelPrice[];
  /** The day of the server, as YYYY-MM-DD. */
  today: string;
}

/** Models to search, sort and price. Without JavaScript it is a form that requests the same view from the server. */
export function ModelsTable({ rows, today }: ModelsTableProps) {
  const [view, change] = useView();
  const models = useMemo(() => arrange(rows, view), [rows, view]);
  const columns = modelColumns(models, {
    today,
    form: FORM,
    sort: view.sort,
    onSort: (key) => change({ sort: nextSort(view.sort, key) }),
  });

  return (
    <>
      <form id={FORM} onSubmit={(event: FormEvent) => event.preventDefault()} className="flex flex-wrap items-end gap-x-4 gap-y-3">
        <SearchField value={view.search} onChange={(search) => change({ search })} />
        <TokenField name="in" label="Tokens in" value={view.inputTokens} onChange={(inputTokens) => change({ inputTokens })} />
        <TokenField name="out" label="Tokens out" value={view.outputTokens} onChange={(outputTokens) => change({ outputTokens })} />
        <SortSelect sort={view.sort} onChange={(sort) => change({ sort })} />
        {/* The default of Enter in a field; without it, that would be a column's sort button. */}
        <button type="submit" tabIndex={-1} className="sr-only">
          Show
        </button>
      </form>
      <p role="status" className="mt-6 text-sm text-muted">
        {models.length === rows.length ? `${rows.length} models` : `${models.length} of ${rows.length} models`}
        <span className="max-md:hidden">. Prices in USD per 1M tokens.</span>
        <span className="md:hidden">. In / out: USD per 1M tokens.</span>
      </p>
      <DataTable
        className="mt-2"
        headingClassName=""
        rowClassName="align-top transition hover:bg-panel"
        cellClassName="py-3"
        columns={columns}
        rows={models}
        idOf={({ id }) => id}
      />
      {models.length === 0 ? <NothingFound search={view.search} onClear={() => change({ search: "" })} /> : null}
    </>
  );
}

function NothingFound({ search, onClear }: { search: string; onClear: () => void }) {
  return (
    <div className="border-b border-line py-12 text-center text-sm">
      <p>No models match “{search}”.</p>
      <button type="button" onClick={onClear} className="mt-3 rounded border border-edge px-3 py-1.5 font-medium transition hover:bg-panel">
        Show all models
      </button>
    </div>
  );
}

/** The view and its setter: the fields hold it, the URL mirrors it. */
function useView(): [TableView, (part: Partial<TableView>) => void] {
  const query = useSearchParams();
  const [view, setView] = useState(() => readView(query));
  const written = useRef(query.toString());

  // When a link or the back button has changed the URL, the URL wins; otherwise the fields do.
  useEffect(() => {
    if (query.toString() === written.current || window.location.search.slice(1) === written.current) return;
    written.current = query.toString();
    setView(readView(query));
  }, [query]);

  const change = (part: Partial<TableView>) => {
    const changed = { ...view, ...part };
    setView(changed);
    written.current = writeView(changed);
    window.history.replaceState(null, "", written.current === "" ? window.location.pathname : `?${written.current}`);
  };
  return [view, change];
}
