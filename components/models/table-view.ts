// The state of the models table: search, order and the tokens to price, kept in the URL so that it can be shared.

import type { ModelPrice } from "@/lib/console/views/models";
import { type PricedModel, priceModel } from "./model-row";

const sortKeys = ["name", "provider", "context", "input", "output", "cost"] as const;
export type SortKey = (typeof sortKeys)[number];

export interface TableView {
  search: string;
  /** Null: the order of the catalogue. */
  sort: { key: SortKey; descending: boolean } | null;
  /** Digits only, as typed; empty counts as 0. */
  inputTokens: string;
  outputTokens: string;
}

const DEFAULT_TOKENS = { input: "1000", output: "500" };
const MAX_DIGITS = 12;

/** Keeps the digits of the typed text: `1,000` is 1000. */
export const digitsOf = (text: string): string =>
  text
    .replace(/\D/g, "")
    .replace(/^0+(?=\d)/, "")
    .slice(0, MAX_DIGITS);

/** Reads a URL's query; missing or invalid parts get their defaults. */
export function readView(query: URLSearchParams): TableView {
  const sort = query.get("sort") ?? "";
  const key = sortKeys.find((name) => name === sort.replace(/^-/, ""));
  return {
    search: query.get("q") ?? "",
    sort: key ? { key, descending: sort.startsWith("-") } : null,
    inputTokens: digitsOf(query.get("in") ?? DEFAULT_TOKENS.input),
    outputTokens: digitsOf(query.get("out") ?? DEFAULT_TOKENS.output),
  };
}

/** The shortest query that reads back as `view`. */
export function writeView(view: TableView): string {
  const query = new URLSearchParams();
  if (view.search !== "") query.set("q", view.search);
  if (view.sort) query.set("sort", sortText(view.sort));
  if (view.inputTokens !== DEFAULT_TOKENS.input) query.set("in", view.inputTokens);
  if (view.outputTokens !== DEFAULT_TOKENS.output) query.set("out", view.outputTokens);
  return query.toString();
}

export const sortText = ({ key, descending }: { key: SortKey; descending: boolean }): string => `${descending ? "-" : ""}${key}`;

/** The next order after a click on a column heading: ascending, descending, then the catalogue's order. */
export function nextSort(current: TableView["sort"], key: SortKey): TableView["sort"] {
  if (current?.key !== key) return { key, descending: false };
  return current.descending ? null : { key, descending: true };
}

/** The rows to show, priced, filtered and sorted. Equal rows keep the catalogue's order; sorted by cost, rows without one come last. */
export function arrange(rows: readonly ModelPrice[], view: TableView): PricedModel[] {
  const tokens = { input: BigInt(view.inputTokens || 0), output: BigInt(view.outputTokens || 0) };
  const words = view.search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows.filter((row) => {
    const text = [row.id, ...row.aliases, row.provider, row.description].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const priced = found.map((row) => priceModel(row, tokens));
  const { sort } = view;
  if (!sort) return priced;
  const sign = sort.descending ? -1 : 1;
  return priced.sort((left, right) => {
    const [a, b] = [sortValue(left, sort.key), sortValue(right, sort.key)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * compare(a, b);
  });
}

function sortValue(model: PricedModel, key: SortKey): string | number | bigint | null {
  switch (key) {
    case "name":
      return model.id;
    case "provider":
      return model.provider.toLowerCase();
    case "context":
      return model.contextWindow;
    case "input":
    case "output":
    case "cost":
      return model[key];
  }
}

const compare = (left: string | number | bigint, right: string | number | bigint): number => (left < right ? -1 : left > right ? 1 : 0);
