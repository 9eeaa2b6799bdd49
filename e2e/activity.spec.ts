// The activity page: what was done in this browser is there, with the session that did it and where it came from.

import { newWallet } from "@/lib/console/testing/wallets";
import { expectAccessible } from "./axe";
import { expect, open, test } from "./browser";
import { createKey } from "./create-key";
import { signIn } from "./sign-in";

test("a key that is created and paused is in the log, with who did it and from where; the log can be narrowed", async ({
  page,
  context,
  extraHTTPHeaders,
}) => {
  test.setTimeout(120_000);
  await signIn(context, newWallet("evm"));
  await createKey(page, "Production");
  await open(page, "/keys");
  await page.getByRole("button", { name: "Actions for Production" }).click();
  await page.getByRole("menuitem", { name: "Pause" }).click();
  await expect(page.getByText(/^Paused\. Calls with this key/)).toBeVisible();

  await open(page, "/activity");
  const log = page.getByRole("list", { name: "Activity" });
  const paused = log.getByRole("listitem").filter({ hasText: /Key “Production” .*was paused/ });
  await expect(paused).toContainText("This session of 0x");
  await expect(paused).toContainText(new RegExp(`Chrome on \\w+, ${extraHTTPHeaders?.["x-forwarded-for"]}`));
  await expect(log.getByRole("listitem").filter({ hasText: "signed in." })).toBeVisible();
  await expectAccessible(page, "/activity");

  await page.getByLabel("About").selectOption("key");
  await expect(page).toHaveURL("/activity?group=key");
  await expect(log.getByText("signed in.")).toBeHidden();
  await expect(paused).toBeVisible();
  await page.getByLabel("About").selectOption("withdrawal");
  await expect(page.getByText("No change of this kind was made.")).toBeVisible();
  await page.getByRole("link", { name: "Show everything" }).click();
  await expect(page).toHaveURL("/activity");
  await expect(paused).toBeVisible();
});
