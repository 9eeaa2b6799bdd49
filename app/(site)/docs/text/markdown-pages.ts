// The pages of the docs as Markdown.

import { readSite } from "@/app/site";
import { type DocText, listDocTexts } from "./doc-texts";
import { writeMarkdown } from "./markdown";
import { onceADay } from "./once-a-day";

const markdownOf = ({ path, read }: DocText, baseUrl: string): string =>
  onceADay(path, () => `${writeMarkdown(read(), baseUrl)}\nSource: ${baseUrl}${path}\n`);

/** All pages, in the order of the navigation. */
export const readMarkdownPages = (): { path: string; text: string }[] =>
  listDocTexts().map((page) => ({ path: page.path, text: markdownOf(page, readSite().baseUrl) }));

/** The page at this path, or null. */
export function findMarkdownPage(path: string): string | null {
  const page = listDocTexts().find((one) => one.path === path);
  return page ? markdownOf(page, readSite().baseUrl) : null;
}
