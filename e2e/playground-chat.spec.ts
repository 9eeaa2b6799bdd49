// The playground as a chat: turns, editing, retrying, stopping, and a phone's reach.

import type { Page } from "@playwright/test";
import { expectAccessible } from "./axe";
import { expect, test } from "./browser";
import { charged, openChat, promptField, runButton, say, stopButton, turns, watchRuns } from "./chatting";

test("a second turn sends the first, an edit drops the later ones, a retry asks again, and all that was charged is summed", async ({
  page,
}) => {
  await openChat(page);
  const bodies = watchRuns(page);
  await page.getByLabel("System message").fill("Be brief.");
  await say(page, 'One [[simulate: text="first answer"]]');
  await say(page, 'Two [[simulate: text="second answer"]]');
  expect(bodies[1]?.messages).toEqual([
    { role: "system", content: "Be brief." },
    { role: "user", content: 'One [[simulate: text="first answer"]]' },
    { role: "assistant", content: "first answer" },
    { role: "user", content: 'Two [[simulate: text="second answer"]]' },
  ]);
  await page.getByRole("button", { name: "Retry" }).click();
  await expect.poll(() => bodies.length).toBe(3);
  expect(bodies[2]).toEqual(bodies[1]);
  await expect(charged(page)).toBeVisible();
  await expect(page.getByText(/in 3 receipts/)).toBeVisible();

  await turns(page).first().getByRole("button", { name: "Edit this message" }).click();
  await expect(page.getByText(/the later turn are removed\. What they cost stays/)).toBeVisible();
  await page.getByLabel("Edit message").fill("Changed");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(turns(page)).toHaveCount(1);
  await expect(charged(page)).toBeVisible();
  expect(bodies[3]?.messages).toEqual([
    { role: "system", content: "Be brief." },
    { role: "user", content: "Changed" },
  ]);
  const summary = page.getByText(/in 4 receipts/);
  await expect(summary).toBeVisible();
  await summary.click();
  await expect(page.getByRole("link", { name: /^req_/ })).toHaveCount(4);
  await expectAccessible(page, "/playground with turns");
});

test("a retry that breaks off leaves the answer as it was, and what it cost is counted", async ({ page }) => {
  await openChat(page);
  await say(page, 'One [[simulate: text="first answer"]]');
  await expect(page.getByText(/in 1 receipt$/)).toBeVisible();
  // The service answers and charges; nothing of that arrives.
  await page.route("**/playground/answer", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: ": nothing more\n\n" });
  });
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByText("Nothing was replaced. If this run was charged, its cost is added to the conversation.")).toBeVisible();
  await expect(turns(page)).toHaveCount(1);
  await expect(turns(page)).toContainText("first answer");
  await expect(page.getByText(/in 2 receipts/)).toBeVisible();
});

/** Stops the run by a click, or waits for its end; then clicks Run and presses Enter in each frame of the next `forMs`. */
const hurry = (page: Page, how: { stops: boolean; forMs: number }) =>
  page.evaluate(async ({ stops, forMs }) => {
    const buttonOf = (name: string) => [...document.querySelectorAll("button")].find((button) => button.textContent === name);
    const frame = () => new Promise(requestAnimationFrame);
    if (stops) buttonOf("Stop")?.click();
    else while (buttonOf("Stop")) await frame();
    const end = performance.now() + forMs;
    do {
      buttonOf("Run")?.click();
      const key = new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true });
      document.querySelector("[aria-label=Prompt]")?.dispatchEvent(key);
      await frame();
    } while (performance.now() < end);
  }, how);

test("Run is not live right after Stop or a finished run: neither a double click nor Enter starts another", async ({ page }) => {
  await openChat(page);
  const bodies = watchRuns(page);
  await promptField(page).fill("Take your time. [[simulate: slow=100 tokens=60]]");
  // The second click comes down where Stop is now.
  await runButton(page).dblclick();
  await expect(page.getByText("≈").first()).toBeVisible();
  await promptField(page).fill("A next message");
  await hurry(page, { stops: true, forMs: 500 });
  await expect(runButton(page)).toBeEnabled();
  expect(bodies).toHaveLength(1);
  await expect(promptField(page)).toHaveValue("A next message");
  await expect(charged(page)).toBeVisible();

  await promptField(page).fill("Short [[simulate: slow=100 tokens=20]]");
  await runButton(page).click();
  await expect(turns(page)).toHaveCount(2);
  await promptField(page).fill("Accidental");
  await hurry(page, { stops: false, forMs: 250 });
  await expect(runButton(page)).toBeEnabled();
  expect(bodies).toHaveLength(2);
  await expect(turns(page)).toHaveCount(2);
});

test("Enter sends, Shift+Enter begins a line, and Escape stops", async ({ page }) => {
  await openChat(page);
  await promptField(page).pressSequentially("Take your time.");
  await promptField(page).press("Shift+Enter");
  await promptField(page).pressSequentially("[[simulate: slow=100 tokens=60]]");
  await promptField(page).press("Enter");
  await expect(page.getByText("≈").first()).toBeVisible();
  // Nothing stops a run in its first 300 ms.
  await page.waitForTimeout(400);
  await promptField(page).press("Escape");
  await expect(page.getByText("Stopped", { exact: true })).toBeVisible();
  await expect(charged(page)).toBeVisible();
});

for (const viewport of [
  { width: 390, height: 844 },
  { width: 360, height: 640 },
]) {
  test.describe(() => {
    test.use({ viewport, hasTouch: true, isMobile: true });

    test(`on a phone of ${viewport.width} x ${viewport.height} Run and the newest answer are in reach, above the console's bar`, async ({
      page,
    }) => {
      await openChat(page);
      const isOnTop = (name: string) =>
        page.getByRole("button", { name, exact: true }).evaluate((element) => {
          const { left, top, width, height } = element.getBoundingClientRect();
          const hit = document.elementFromPoint(left + width / 2, top + height / 2);
          return top >= 0 && top + height <= window.innerHeight && height >= 44 && (hit === element || element.contains(hit));
        });
      await promptField(page).fill("A long answer [[simulate: slow=20 tokens=120]]");
      // There Enter begins a line.
      await promptField(page).press("Enter");
      await expect(promptField(page)).toHaveValue(/\n$/);
      await expect.poll(() => isOnTop("Run")).toBe(true);
      await runButton(page).tap();
      await expect.poll(() => isOnTop("Stop")).toBe(true);
      const bar = page.getByRole("navigation", { name: "Console" }).last();
      const answer = turns(page)
        .last()
        .getByText(/^Simulated answer/);
      await expect(answer).toBeInViewport();
      await expect(charged(page)).toBeVisible();
      await expect.poll(() => isOnTop("Run")).toBe(true);
      const [barTop, buttonBottom] = await Promise.all([
        bar.evaluate((element) => element.getBoundingClientRect().top),
        runButton(page).evaluate((element) => element.getBoundingClientRect().bottom),
      ]);
      expect(buttonBottom).toBeLessThanOrEqual(barTop);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
      await expectAccessible(page, `/playground on a phone of ${viewport.width}`);
    });
  });
}

test("every state is accessible: empty, running, failed", async ({ page, watch }) => {
  watch.expect(/status of 50\d/);
  await openChat(page);
  await expectAccessible(page, "/playground, empty");
  await promptField(page).fill("Take your time. [[simulate: slow=100 tokens=80]]");
  await runButton(page).click();
  await expect(page.getByText("≈").first()).toBeVisible();
  await expectAccessible(page, "/playground, running");
  await expect(stopButton(page)).toBeEnabled();
  await stopButton(page).click();
  await expect(charged(page)).toBeVisible();
  await promptField(page).fill("Hi [[simulate: status=500]]");
  await runButton(page).click();
  await expect(page.getByRole("alert").filter({ hasText: "Nothing was charged" })).toBeVisible();
  await expectAccessible(page, "/playground, failed");
});
