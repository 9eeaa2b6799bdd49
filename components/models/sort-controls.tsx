import { Select } from "../ui/field";
import { SortIcon } from "../ui/icons";
import { nextSort, type SortKey, sortText, type TableView } from "./table-view";

export interface Sorting {
  /** The form that a click submits without JavaScript. */
  form: string;
  sort: TableView["sort"];
  onSort: (key: SortKey) => void;
}

export function directionOf(sort: TableView["sort"], key: SortKey): "ascending" | "descending" | "none" {
  if (sort?.key !== key) return "none";
  return sort.descending ? "descending" : "ascending";
}

/** A column heading that sorts by its column. */
export function SortButton({ form, sort, onSort, sortKey, text }: Sorting & { sortKey: SortKey; text: string }) {
  const direction = directionOf(sort, sortKey);
  const next = nextSort(sort, sortKey);
  return (
    <button
      type="submit"
      form={form}
      name="sort"
      value={next ? sortText(next) : ""}
      onClick={(event) => {
        event.preventDefault();
        onSort(sortKey);
      }}
      className={`inline-flex h-9 items-center gap-1.5 transition hover:text-ink ${direction === "none" ? "" : "text-ink"}`}
    >
      {text}
      <SortIcon direction={direction} />
    </button>
  );
}

/** On a phone no column heading is above a figure, so each name is complete. */
const longNames: Readonly<Record<SortKey, string>> = {
  name: "Name",
  provider: "Provider",
  context: "Context window",
  input: "Input price",
  output: "Output price",
  cost: "Cost",
};

const keys = Object.keys(longNames) as SortKey[];

/** On a phone most columns have no heading to click. */
export function SortSelect({ sort, onChange }: { sort: TableView["sort"]; onChange: (sort: TableView["sort"]) => void }) {
  const change = (value: string) => {
    const key = keys.find((one) => one === value.replace(/^-/, ""));
    onChange(key ? { key, descending: value.startsWith("-") } : null);
  };
  return (
    <label htmlFor="models-sort" className="w-full text-xs text-muted md:hidden">
      Sort by
      <Select id="models-sort" value={sort ? sortText(sort) : ""} onChange={(event) => change(event.target.value)} className="mt-1">
        <option value="">Default</option>
        {keys.flatMap((key) => [
          <option key={key} value={key}>
            {longNames[key]}, {key === "name" || key === "provider" ? "A to Z" : "lowest first"}
          </option>,
          <option key={`-${key}`} value={`-${key}`}>
            {longNames[key]}, {key === "name" || key === "provider" ? "Z to A" : "highest first"}
          </option>,
        ])}
      </Select>
    </label>
  );
}
