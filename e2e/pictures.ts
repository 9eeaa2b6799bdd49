// Takes pictures of pages, as they are without anything of this run: its address, its directory.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "@playwright/test";
import { baseUrl, open } from "./browser";

const folder = fileURLToPath(new URL("screenshots", import.meta.url));
const otherLooks = fileURLToPath(new URL("../test-results/pictures", import.meta.url));
export const sizes = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

const allLooks = ["desk-light", "desk-dark", "phone-light", "phone-dark"] as const;
type Look = (typeof allLooks)[number];

/** Takes one picture per look: of the top of the page, or of a part of it. With ALL set, the other looks go to test-results/pictures. */
export async function shoot(page: Page, name: string, looks: readonly Look[], part?: Locator): Promise<void> {
  for (const look of process.env.ALL ? allLooks : looks) {
    const [size, theme] = look.split("-") as [keyof typeof sizes, "light" | "dark"];
    await page.setViewportSize(sizes[size]);
    await page.emulateMedia({ colorScheme: theme });
    await page.mouse.move(0, 0);
    await page.evaluate(rewrite, usual());
    await part?.evaluate((element) => window.scrollTo(0, element.getBoundingClientRect().top + window.scrollY - 80));
    await page.waitForTimeout(700); // charts redraw, colours settle
    await page.screenshot({ path: join(looks.includes(look) ? folder : otherLooks, `${name}-${look}.png`) });
  }
}

/** Opens a page at the desktop's size. */
export const show = async (page: Page, path: string): Promise<void> => {
  await page.setViewportSize(sizes.desk);
  await open(page, path);
  // An open stream of the account is never idle.
  await page.waitForLoadState("networkidle", { timeout: 3_000 }).catch(() => undefined);
};

/** In the page: replaces texts. */
export function rewrite(texts: [from: string, to: string][]): void {
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = words.nextNode(); node; node = words.nextNode()) {
    const text = node.nodeValue ?? "";
    const rewritten = texts.reduce((known, [from, to]) => known.replaceAll(from, to), text);
    if (rewritten !== text) node.nodeValue = rewritten;
  }
}

/** The service's address and directory in this run, and those of a start without settings. */
const usual = (): [string, string][] => [
  [new URL(baseUrl()).host, "127.0.0.1:3000"],
  [process.env.DATA_DIR ?? "", ".data"],
];
