// Images of a session that goes on: a client sends those of its older turns and of its tools with every request again, so a line stands in the
// place of one that its model cannot take, and the newest turn's own is refused.

import { expect, test } from "vitest";
import { openAccount } from "./testing/accounts";
import { expectPaid } from "./testing/books";
import { ask } from "./testing/client";
import { dataUrl, png } from "./testing/pictures";
import { openService } from "./testing/service";

const service = await openService();
const url = service.url("node");

const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
// Claude Code 2.1.197 with a model that takes no images: its tool Read sends each picture that it reads, with every later turn again.
const data = png(32, 32);
const block = { type: "image", source: { type: "base64", media_type: "image/png", data } };
const call = { type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "/project/picture.png" } };
const result = { type: "tool_result", tool_use_id: "toolu_1", content: [block] };
const tools = [{ name: "Read", input_schema: { type: "object", properties: { file_path: { type: "string" } } } }];
const item = { type: "input_image", image_url: dataUrl(data) };
const callItem = { type: "function_call", call_id: "call_1", name: "view_image", arguments: "{}" };
const outputItem = { type: "function_call_output", call_id: "call_1", output: [item] };
const model = "deepseek-v4-pro";
const send = (key: string, at: string, body: object) => ask({ url, key, path: `/api/v1/${at}`, body: { model, ...body } });

test.each([
  ["messages", { max_tokens: 90, tools, messages: [user("Look."), assistant([call]), user([result])] }],
  ["responses", { max_output_tokens: 90, input: [user("Look."), callItem, outputItem] }],
])("goes on after an image in a tool's result: /%s", async (at, body) => {
  const account = await openAccount();
  const { status, text } = await send(account.key, at, body);
  expect({ status, text }).toMatchObject({ status: 200, text: expect.stringContaining("(An image stood here. It is not shown.)") });
  await expectPaid(account);
});

// A session of a hundred screenshots; and an MCP tool may give an SVG, or a file that was cut off, which no model takes.
const svg = { ...block, source: { ...block.source, media_type: "image/svg+xml", data: "PHN2Zz4=" } };
const broken = { ...block, source: { ...block.source, data: "iVBORw0K" } };
test.each([
  ["a hundred and one images", model, Array(101).fill(block)],
  ["images that are none", "claude-haiku-4-5", [svg, broken]],
])("goes on after %s in a tool's result", async (_, of, images) => {
  const account = await openAccount();
  const results = { ...result, content: images };
  const body = { model: of, max_tokens: 90, tools, messages: [user("Look."), assistant([call]), user([results])] };
  const { status, text } = await send(account.key, "messages", body);
  expect({ status, text }).toMatchObject({ status: 200, text: expect.stringContaining("(An image stood here. It is not shown.)") });
  const refused = await send(account.key, "messages", { ...body, messages: [user(images.slice(0, 1))] });
  expect(refused.status).toBe(400);
  await expectPaid(account);
});

// platform.claude.com vision: with more than 20 images each edge may have at most 2,000 pixels. Codex scales its images to 2,048.
test.each([
  ["messages", { max_tokens: 90 }, "messages", { ...block, source: { ...block.source, data: png(2_048, 10) } }],
  ["chat/completions", { max_tokens: 90 }, "messages", { type: "image_url", image_url: { url: dataUrl(png(2_048, 10)) } }],
  ["responses", { max_output_tokens: 90 }, "input", { type: "input_image", image_url: dataUrl(png(2_048, 10)) }],
])("goes on with the 21st image, and a line for each older one that is too large beside it: /%s", async (at, fields, field, image) => {
  const account = await openAccount();
  const sendImages = (older: number, newest: number) => {
    const said = [user(Array(older).fill(image)), assistant("I see."), user([...Array(newest).fill(image), ...words])];
    return send(account.key, at, { model: "claude-haiku-4-5", ...fields, [field]: said });
  };
  const words = [{ type: at === "responses" ? "input_text" : "text", text: "And this?" }];
  expect(await sendImages(20, 1)).toMatchObject({ status: 200 });
  await expectPaid(account);
  expect(await sendImages(0, 21)).toMatchObject({ status: 400, text: expect.stringContaining("more than 20 images") });
});

test("is compacted with an image in its last message, which was sent before", async () => {
  const account = await openAccount();
  const input = [user("Look."), user([item]), { type: "compaction_trigger" }];
  const { status, text } = await send(account.key, "responses", { input });
  expect({ status, text }).toMatchObject({ status: 200, text: expect.stringContaining('"type":"compaction"') });
  await expectPaid(account);
});

test.each([
  ["messages", { max_tokens: 90 }, "messages", block, "messages.0.content.0.source.data"],
  [
    "chat/completions",
    { max_tokens: 90 },
    "messages",
    { type: "image_url", image_url: { url: dataUrl(data) } },
    "messages.0.content.0.image_url.url",
  ],
  ["responses", { max_output_tokens: 90 }, "input", item, "input.0.content.0.image_url"],
])("refuses an image in the newest turn, and goes on after it: /%s", async (at, fields, field, image, path) => {
  const account = await openAccount();
  const asked = [user([image])];
  const refused = await send(account.key, at, { ...fields, [field]: asked });
  expect(refused).toMatchObject({ status: 400, text: expect.stringContaining("this model does not accept images") });
  expect(refused.text).toContain(path);
  const after = await send(account.key, at, { ...fields, [field]: [...asked, assistant("No."), user("Then without it.")] });
  expect(after).toMatchObject({ status: 200, text: expect.stringContaining("Then without it.") });
  await expectPaid(account);
});
