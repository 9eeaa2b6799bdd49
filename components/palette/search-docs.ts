// The search of the command palette: over the docs by heading and by the text below it, over models, pages, keys and requests by name.

/** Its id, its heading, its text; the part before a page's first heading has neither id nor heading. */
export type SearchSection = readonly [id: string, title: string, text: string];

export interface SearchPage {
  path: string;
  title: string;
  /** The title of the page that it belongs to. */
  parent?: string;
  sections: readonly SearchSection[];
}

export interface SearchIndex {
  docs: readonly SearchPage[];
  models: readonly { id: string; provider: string; type?: string }[];
}

export interface Found {
  href: string;
  title: string;
  /** Where it is: "API reference", "Deposits". */
  place: string;
  /** The text around the match, where only the text matches. */
  excerpt?: string;
  score: number;
}

const MOST_DOCS = 8;
const EXCERPT_BEFORE = 30;
const EXCERPT_LENGTH = 120;

export const wordsOf = (query: string): string[] => query.toLowerCase().slice(0, 100).split(/\s+/).filter(Boolean);

/** How well a name matches: every word must be in it; beginnings of words count more, and so do short names. 0: it does not. */
export function scoreName(name: string, words: readonly string[]): number {
  const lower = name.toLowerCase();
  let score = 0;
  for (const word of words) {
    const at = lower.indexOf(word);
    if (at < 0) return 0;
    score += at === 0 ? 3 : /[\s/_.-]/.test(lower.charAt(at - 1)) ? 2 : 1;
  }
  return score + (lower === words.join(" ") ? 3 : 1 / (1 + lower.length));
}

/** The best pages and sections of the docs: those whose title matches first, then those whose text does. */
export function searchDocs(pages: readonly SearchPage[], words: readonly string[]): Found[] {
  if (words.length === 0) return [];
  return pages
    .flatMap((page) => page.sections.flatMap((section) => findInSection(page, section, words) ?? []))
    .sort((one, other) => other.score - one.score)
    .slice(0, MOST_DOCS);
}

function findInSection(page: SearchPage, [id, heading, text]: SearchSection, words: readonly string[]): Found | null {
  const isTop = heading === "";
  const title = isTop ? page.title : heading;
  const place = isTop ? (page.parent ?? "Docs") : page.title;
  const href = id === "" ? page.path : `${page.path}#${id}`;
  const inTitle = scoreName(title, words);
  // A page's own title leads before a section's.
  if (inTitle > 0) return { href, title, place, score: 20 + inTitle + (isTop ? 2 : 0) };
  const inBoth = scoreName(`${title} ${place}`, words);
  if (inBoth > 0) return { href, title, place, score: 10 + inBoth };
  const lower = text.toLowerCase();
  if (!words.every((word) => lower.includes(word) || title.toLowerCase().includes(word))) return null;
  const foundAt = lower.indexOf(words.find((word) => lower.includes(word)) ?? "");
  // From the beginning of a word.
  const at = foundAt <= EXCERPT_BEFORE ? 0 : text.indexOf(" ", foundAt - EXCERPT_BEFORE) + 1;
  const excerpt = `${at > 0 ? "…" : ""}${text.slice(at, at + EXCERPT_LENGTH)}${at + EXCERPT_LENGTH < text.length ? "…" : ""}`;
  const phraseAt = lower.indexOf(words.join(" "));
  // A text's beginning says its subject, so an early phrase scores higher.
  return { href, title, place, excerpt, score: phraseAt < 0 ? 1 : 2 + 1 / (1 + phraseAt) };
}
