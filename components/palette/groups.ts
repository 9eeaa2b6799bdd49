// The palette's results for a query, by kind.

import type { AccountSearch } from "@/lib/console/views/account-search";
import { consoleAreas, siteAreas } from "../console/console-areas";
import { modelHref } from "../models/model-row";
import { type SearchIndex, scoreName, searchDocs, wordsOf } from "./search-docs";

export interface PaletteRow {
  href: string;
  /** Where several rows lead to one page. */
  id?: string;
  title: string;
  place: string;
  excerpt?: string | undefined;
  isCode?: boolean;
}

export interface PaletteGroup {
  title: string;
  rows: readonly PaletteRow[];
}

interface Sources {
  /** Null until it is loaded. */
  index: SearchIndex | null;
  account: AccountSearch;
}

const MOST_ROWS = 6;

const areas: readonly { href: string; text: string; place: string }[] = [
  ...consoleAreas.map((area) => ({ ...area, place: "Console" })),
  ...siteAreas.map((area) => ({ ...area, place: "Site" })),
  { href: "/status", text: "Status", place: "Site" },
  { href: "/reserves", text: "Reserves", place: "Site" },
];

/** Without a query: the pages, and the docs' own pages. */
export function findGroups(query: string, { index, account }: Sources): PaletteGroup[] {
  const words = wordsOf(query);
  const groups: PaletteGroup[] = [
    { title: "Requests", rows: account.requests.map(requestRow) },
    { title: "Keys", rows: words.length === 0 ? [] : best(account.keys, words, ({ name, display }) => `${name} ${display}`).map(keyRow) },
    { title: "Pages", rows: words.length === 0 ? areas.map(areaRow) : best(areas, words, ({ text }) => text).map(areaRow) },
    { title: "Docs", rows: words.length === 0 ? startRows(index) : searchDocs(index?.docs ?? [], words) },
    {
      title: "Models",
      rows: words.length === 0 ? [] : best(index?.models ?? [], words, ({ id, provider }) => `${id} ${provider}`).map(modelRow),
    },
  ];
  return groups.filter(({ rows }) => rows.length > 0);
}

function best<Item>(items: readonly Item[], words: readonly string[], nameOf: (item: Item) => string): Item[] {
  return items
    .map((item) => ({ item, score: scoreName(nameOf(item), words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, MOST_ROWS)
    .map(({ item }) => item);
}

const startRows = (index: SearchIndex | null): PaletteRow[] =>
  (index?.docs ?? []).filter(({ parent }) => parent === undefined).map(({ path, title }) => ({ href: path, title, place: "Docs" }));

const areaRow = ({ href, text, place }: (typeof areas)[number]): PaletteRow => ({ href, title: text, place });

const modelRow = ({ id, provider }: SearchIndex["models"][number]): PaletteRow => ({
  href: modelHref(id),
  title: id,
  place: provider,
  isCode: true,
});

const keyRow = ({ id, name, display, state }: AccountSearch["keys"][number]): PaletteRow => ({
  href: "/keys",
  id,
  title: name,
  place: state === "active" ? display : `${display}, ${state}`,
});

const requestRow = ({ requestId, state }: AccountSearch["requests"][number]): PaletteRow => ({
  href: `/usage?request=${requestId}`,
  title: requestId,
  place: state,
  isCode: true,
});
