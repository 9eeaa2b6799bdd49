// Images through every provider: billed by the provider's own count under a hold that was never below it, and everything that no model
// takes is refused with what to send instead, before anything is held.

import { describe, expect, test } from "vitest";
import { openAccount } from "./testing/accounts";
import { chargesOf, expectPaid, expectUncharged } from "./testing/books";
import { ask, QUESTION } from "./testing/client";
import { dataUrl, gif, jpeg, png, webp } from "./testing/pictures";
import { entryNames, openService } from "./testing/service";

const service = await openService();
const path = "/api/v1/chat/completions";
const url = service.url("node");

const imageOf = (image: string, detail?: string) => ({ type: "image_url", image_url: { url: image, detail } });
const chatOf = (images: readonly object[], fields: object = {}) => ({
  model: "gpt-4o",
  max_tokens: 20,
  messages: [{ role: "user", content: [...images, { type: "text", text: QUESTION }] }],
  ...fields,
});

test.each([
  ["gpt-4o", "high", 765],
  ["gpt-4o", "low", 85],
  ["gpt-4.1-mini", "auto", 1_659],
  ["gpt-6-sol", undefined, 1_229],
  ["claude-haiku-4-5", undefined, 1_369],
  ["gemini-2.5-flash", "low", 258],
  ["gemini-3.5-flash-lite", "high", 1_120],
  ["grok-4.20", "high", 1_792],
])("%s looks at an image at %s detail, and bills %i tokens for it", async (model, detail, tokens) => {
  const account = await openAccount();
  const send = (images: object[]) => ask({ url, key: account.key, path, body: chatOf(images, { model }) });
  const countOf = ({ text }: { text: string }) => (JSON.parse(text) as { usage: { prompt_tokens: number } }).usage.prompt_tokens;
  const without = await send([]);
  const answer = await send([imageOf(dataUrl(png(1_024, 1_024)), detail)]);
  expect([without.status, answer.status], answer.text).toEqual([200, 200]);
  expect(countOf(answer) - countOf(without)).toBe(tokens);
  expect(await chargesOf(account.accountId)).toHaveLength(2);
  await expectPaid(account);
});

test.each([
  ["a JPEG behind 300 KB of metadata", dataUrl(jpeg(640, 480, 300_000), "image/jpeg")],
  ["a WebP", dataUrl(webp(640, 480), "image/webp")],
  ["a GIF", dataUrl(gif([640, 480], [640, 480]), "image/gif")],
  ["a PNG that is called a JPEG", dataUrl(png(640, 480), "image/jpeg")],
  ["an image that the provider fetches", "https://example.com/quokka.png"],
  ["a data URL with a parameter", `data:image/png;name=a.png;base64,${png(10, 10)}`],
])("%s is taken", async (_case, image) => {
  const account = await openAccount();
  const answer = await ask({ url, key: account.key, path, body: chatOf([imageOf(image)]) });
  expect(answer.status, answer.text).toBe(200);
  await expectPaid(account);
});

test.each(entryNames)(
  "through the %s server: an image of 3 MB reaches the model, whole and in a stream, and is replayed",
  async (entry) => {
    const account = await openAccount();
    const image = imageOf(dataUrl(png(800, 600, 3_000_000)));
    for (const stream of [false, true]) {
      await service.models.clear();
      const send = () =>
        ask({
          url: service.url(entry),
          key: account.key,
          path,
          body: chatOf([image], { stream }),
          headers: { "idempotency-key": `${stream}` },
        });
      const answer = await send();
      expect(answer.status, answer.text.slice(0, 500)).toBe(200);
      const { calls } = await service.models.calls();
      expect(calls[0]?.bytesReceived).toBeGreaterThan(4_000_000);
      expect((await send()).headers.get("idempotent-replayed")).toBe("true");
    }
    await expectPaid(account);
  },
);

const many = (count: number, image: string) => Array.from({ length: count }, () => imageOf(image));

test.each<[what: string, images: object[], fields: object, message: RegExp]>([
  ["101 images", many(101, dataUrl(png(10, 10))), {}, /at most 100/],
  [
    "a GIF bomb",
    [imageOf(dataUrl(gif([65_535, 65_535], [1, 1]), "image/gif"))],
    {},
    /65535 x 65535 pixels; each side must be at most 8000/,
  ],
  ["a GIF whose frame is larger than its canvas", [imageOf(dataUrl(gif([1, 1], [60_000, 9]), "image/gif"))], {}, /60000 x 9 pixels/],
  ["a PNG that says it is huge", [imageOf(dataUrl(png(2 ** 31, 10)))], {}, /each side/],
  ["a PNG without pixels", [imageOf(dataUrl(png(0, 10)))], {}, /not a readable PNG/],
  ["base64 that is none", [imageOf(dataUrl("not-base64!"))], {}, /is not base64/],
  ["base64 with line breaks", [imageOf(dataUrl(`${png(10, 10).slice(0, 40)}\n${png(10, 10).slice(40)}`))], {}, /without line breaks/],
  ["base64 of something else", [imageOf(dataUrl(Buffer.from("quokka".repeat(20)).toString("base64")))], {}, /not a readable PNG/],
  ["a data URL without a media type", [imageOf(`data:;base64,${png(10, 10)}`)], {}, /without a media type/],
  ["a data URL without base64", [imageOf("data:image/png,quokka")], {}, /not base64-encoded/],
  ["a PDF", [imageOf(dataUrl("JVBERi0xLjc=", "application/pdf"))], {}, /not PDF/],
  ["an SVG", [imageOf(dataUrl("PHN2Zz4=", "image/svg+xml"))], {}, /Only PNG, JPEG, GIF and WebP/],
  ["a URL without TLS", [imageOf("http://example.com/a.png")], {}, /https URL/],
  ["another detail", [imageOf(dataUrl(png(10, 10)), "medium")], {}, /array of text and image parts/],
  ["audio", [{ type: "input_audio", input_audio: { data: "", format: "wav" } }], {}, /audio/],
  ["two answers", [imageOf(dataUrl(png(10, 10)))], { n: 2 }, /n: must be 1/],
  ["a model without eyes", [imageOf(dataUrl(png(10, 10)))], { model: "deepseek-chat" }, /does not accept images/],
  ["an older model without eyes", [imageOf(dataUrl(png(10, 10)))], { model: "gpt-4" }, /does not accept images/],
  ["a URL at a provider that fetches none", [imageOf("https://example.com/a.png")], { model: "gemini-2.5-flash" }, /Send the image itself/],
  ["a GIF at a provider that takes none", [imageOf(dataUrl(gif([9, 9], [9, 9]), "image/gif"))], { model: "grok-4.20" }, /not GIF/],
  ["many images that are too large together", many(21, dataUrl(png(2_001, 10))), { model: "claude-haiku-4-5" }, /more than 20 images/],
])("%s: 400 with the field and the cure, and nothing is held", async (_case, images, fields, message) => {
  const account = await openAccount();
  await service.models.clear();
  const answer = await ask({ url, key: account.key, path, body: chatOf(images, fields) });
  const { error } = JSON.parse(answer.text) as { error: { message: string; code: string; param: string } };
  expect([answer.status, error.code], answer.text).toEqual([400, "INVALID_REQUEST"]);
  expect(error.message).toMatch(message);
  expect(error.param).toMatch(/^messages\.0\.content|^n$/);
  expect((await service.models.calls()).count).toBe(0);
  await expectUncharged(account);
});

test("a large body without a key is refused unread", async () => {
  const answer = await ask({ url, path, body: chatOf([imageOf(dataUrl(png(10, 10, 4_000_000)))]) });
  expect(answer.status).toBe(401);
});

test("32 MiB is the end, and 1 MiB elsewhere", async () => {
  const account = await openAccount();
  const tooLarge = await ask({ url, key: account.key, path, body: `{"a":"${"b".repeat(32 * 1024 * 1024)}"}` });
  expect([tooLarge.status, tooLarge.text]).toEqual([400, expect.stringContaining("too_large")]);
  const prompt = await ask({ url, key: account.key, body: `{"a":"${"b".repeat(2 * 1024 * 1024)}"}` });
  expect([prompt.status, prompt.text]).toEqual([400, expect.stringContaining("too_large")]);
});

test("/models says which models take images", async () => {
  const { data } = JSON.parse((await ask({ url, path: "/api/v1/models", method: "GET" })).text) as {
    data: { id: string; inputModalities: string[] }[];
  };
  const takers = data.filter(({ inputModalities }) => inputModalities.includes("image")).map(({ id }) => id);
  expect(takers).toContain("gpt-4o");
  expect(takers).not.toContain("deepseek-chat");
  expect(takers).not.toContain("gpt-3.5-turbo");
});

describe("the same image in each vendor's form", () => {
  const dot = png(800, 600);
  const anthropic = { type: "image", source: { type: "base64", media_type: "image/png", data: dot } };
  const forms: [path: string, bodyOf: (model: string) => object][] = [
    [
      "/api/v1/messages",
      (model) => ({ model, max_tokens: 20, messages: [{ role: "user", content: [anthropic, { type: "text", text: QUESTION }] }] }),
    ],
    [
      "/api/v1/messages",
      (model) => ({
        model,
        max_tokens: 20,
        messages: [
          { role: "user", content: QUESTION },
          { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "look", input: {} }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [anthropic] }] },
        ],
        tools: [{ name: "look", input_schema: { type: "object" } }],
      }),
    ],
    [
      "/api/v1/responses",
      (model) => ({
        model,
        max_output_tokens: 20,
        input: [
          {
            role: "user",
            content: [
              { type: "input_text", text: QUESTION },
              { type: "input_image", image_url: dataUrl(dot) },
            ],
          },
        ],
      }),
    ],
    [
      "/api/v1/responses",
      (model) => ({
        model,
        max_output_tokens: 20,
        input: [
          { role: "user", content: QUESTION },
          { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" },
          { type: "function_call_output", call_id: "call_1", output: [{ type: "input_image", image_url: dataUrl(dot), detail: "low" }] },
        ],
        tools: [{ type: "function", name: "look", parameters: { type: "object", properties: {} } }],
      }),
    ],
  ];

  test.each(forms)("%s reaches every provider, in a message and in a tool's result", async (form, bodyOf) => {
    for (const model of ["gpt-4o", "gpt-6-sol", "claude-haiku-4-5", "gemini-3.5-flash-lite", "grok-4.20"]) {
      const account = await openAccount();
      const answer = await ask({ url, key: account.key, path: form, body: bodyOf(model) });
      expect(answer.status, `${model}: ${answer.text}`).toBe(200);
      const [charge] = await chargesOf(account.accountId);
      expect(charge?.input_tokens, model).toBeGreaterThan(80n);
      await expectPaid(account);
    }
  });

  test.each<[what: string, path: string, body: object, message: RegExp]>([
    [
      "base64 that is none",
      "/api/v1/messages",
      { messages: [{ role: "user", content: [{ ...anthropic, source: { ...anthropic.source, data: "?" } }] }], max_tokens: 5 },
      /not base64/,
    ],
    [
      "a stored file",
      "/api/v1/messages",
      { messages: [{ role: "user", content: [{ type: "image", source: { type: "file", file_id: "f" } }] }], max_tokens: 5 },
      /source/,
    ],
    [
      "a PDF as an image",
      "/api/v1/responses",
      { input: [{ role: "user", content: [{ type: "input_image", image_url: dataUrl("JVBE", "application/pdf") }] }] },
      /not PDF/,
    ],
    [
      "an image of the system",
      "/api/v1/responses",
      { input: [{ role: "system", content: [{ type: "input_image", image_url: dataUrl(dot) }] }] },
      /in a user message/,
    ],
  ])("%s is refused in the form of %s", async (_what, form, body, message) => {
    const account = await openAccount();
    const answer = await ask({ url, key: account.key, path: form, body: { model: "claude-haiku-4-5", ...body } });
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(message)]);
    expect(answer.text).toContain("INVALID_REQUEST");
    await expectUncharged(account);
  });
});
