// Layout shift where it is likeliest: with fonts that come late. What every page weighs is checked in every-page.spec.ts.

import { MAX_LAYOUT_SHIFT } from "@/lib/tidy/limits";
import { casesOf, expect, test } from "./browser";
import { weigh } from "./weigh";

for (const path of casesOf(["/docs/x402", "/docs/api", "/docs/deposits"], "/docs/x402")) {
  test(`${path} does not shift when its fonts load late`, async ({ page }) => {
    let late = 0;
    await page.route("**/*.woff2", async (route) => {
      // A pending font keeps the network busy, so the page is not measured before its fonts have loaded.
      await page.waitForFunction(() => Number(Reflect.get(window, "seenLcpMs")) > 0);
      late++;
      await route.continue();
    });
    const { shift } = await weigh(page, path);
    expect(late, "fonts that came after the page was painted").toBeGreaterThan(0);
    expect(shift).toBeLessThanOrEqual(MAX_LAYOUT_SHIFT);
  });
}

test("layout shift is measured", async ({ page }) => {
  await weigh(page, "/docs/errors");
  await page.evaluate(() =>
    document.querySelector("main")?.prepend(Object.assign(document.createElement("div"), { style: "height: 400px" })),
  );
  await expect.poll(() => page.evaluate(() => Number(Reflect.get(window, "seenShift")))).toBeGreaterThan(MAX_LAYOUT_SHIFT);
});
