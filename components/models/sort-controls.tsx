import { SortIcon } from "../ui/icons";
import { nextSort, type SortKey, sortText, type TableView } from "./table-view";

interface Heading {
  key: SortKey;
  text: string;
  /** For the list on a phone, where no column stands above the figure. */
  long: string;
  className: string;
}

const headings: readonly Heading[] = [
  { key: "name", text: "Model", long: "Name", className: "text-left md:w-[44%]" },
  { key: "provider", text: "Provider", long: "Provider", className: "text-left max-md:hidden" },
  { key: "context", text: "Context", long: "Context window", className: "text-right max-md:hidden" },
  { key: "input", text: "In", long: "Price of input", className: "text-right max-md:hidden" },
  { key: "output", text: "Out", long: "Price of output", className: "text-right max-md:hidden" },
  { key: "cost", text: "Cost", long: "Cost of these tokens", className: "text-right" },
];

interface SortHeadingsProps {
  /** The form that a press submits where there is no JavaScript. */
  form: string;
  sort: TableView["sort"];
  onSort: (key: SortKey) => void;
}

export function SortHeadings({ form, sort, onSort }: SortHeadingsProps) {
  return (
    <thead>
      <tr className="border-b border-edge text-xs text-muted">
        {headings.map(({ key, text, className }) => {
          const direction = sort?.key !== key ? "none" : sort.descending ? "descending" : "ascending";
          const next = nextSort(sort, key);
          return (
            <th key={key} scope="col" aria-sort={direction} className={`py-0 pr-4 font-medium last:pr-0 ${className}`}>
              <button
                type="submit"
                form={form}
                name="sort"
                value={next ? sortText(next) : ""}
                onClick={(event) => {
                  event.preventDefault();
                  onSort(key);
                }}
                className={`inline-flex h-9 items-center gap-1.5 transition hover:text-ink ${direction === "none" ? "" : "text-ink"}`}
              >
                {text}
                <SortIcon direction={direction} />
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** On a phone most columns have no heading to press. */
export function SortSelect({ sort, onChange }: { sort: TableView["sort"]; onChange: (sort: TableView["sort"]) => void }) {
  const change = (value: string) => {
    const heading = headings.find(({ key }) => key === value.replace(/^-/, ""));
    onChange(heading ? { key: heading.key, descending: value.startsWith("-") } : null);
  };
  return (
    <label className="w-full text-xs text-muted md:hidden">
      Order
      <select
        value={sort ? sortText(sort) : ""}
        onChange={(event) => change(event.target.value)}
        className="mt-1 block h-10 w-full rounded border border-edge bg-paper px-3 text-sm text-ink"
      >
        <option value="">As in the catalogue</option>
        {headings.flatMap(({ key, long }) => [
          <option key={key} value={key}>
            {long}, {key === "name" || key === "provider" ? "A to Z" : "lowest first"}
          </option>,
          <option key={`-${key}`} value={`-${key}`}>
            {long}, {key === "name" || key === "provider" ? "Z to A" : "highest first"}
          </option>,
        ])}
      </select>
    </label>
  );
}
