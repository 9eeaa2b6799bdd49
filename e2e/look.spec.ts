import { newWallet } from "@/lib/console/testing/wallets";
import { baseUrl, open, test } from "./browser";
import { createKey } from "./create-key";
import { fundByFaucet } from "./faucet";
import { signIn } from "./sign-in";

const pages = (process.env.PAGES ?? "usage,status,overview,no-such-page").split(",");
test("look", async ({ page, context }) => {
  test.setTimeout(500_000);
  await signIn(context, newWallet("evm"));
  await fundByFaucet(page);
  const key = await createKey(page, "of an app");
  const send = (body: object, path = "/api/v1/prompt") =>
    fetch(`${baseUrl()}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  for (const model of ["gpt-4-turbo", "gpt-4o-mini", "claude-haiku-4-5"])
    await (await send({ model, prompt: "What is a nano-dollar?", maxTokens: 20 })).text();
  await (await send({ model: "no-such", prompt: "x" })).text();
  for (const path of pages)
    for (const [size, width, height] of [
      ["desk", 1280, 900],
      ["phone", 390, 844],
    ] as const)
      for (const scheme of ["light", "dark"] as const) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme: scheme });
        await open(page, `/${path}`);
        await page.waitForTimeout(1200);
        await page.screenshot({
          path: `/tmp/p/shots/${path.replaceAll(/\W/g, "_")}-${size}-${scheme}.png`,
          fullPage: process.env.FULL === "1",
        });
        if (size === "phone") {
          await page.setViewportSize({ width: 360, height: 740 });
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          if (wide > 360) console.log("WIDE", path, wide);
        }
      }
});
