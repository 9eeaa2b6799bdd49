// A model that has retired is refused under each of its names, with since when and what to use instead; until then it says its day.

import { afterAll, expect, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import { isAppError } from "@/lib/base/errors";
import { supportedModelNames } from "@/lib/providers/catalogue";
import { setEndpoints } from "@/lib/providers/endpoints";
import { vendorHosts } from "@/lib/providers/testing/catalogues";
import { openRequest } from "../http/request";
import { model, models } from "../reads/models";
import { readModel } from "./prompt-body";

const restore = [setEndpoints(vendorHosts), setClock(() => Date.parse("2026-11-26T12:00:00Z"))];
afterAll(() => {
  for (const undo of restore) undo();
});

async function read(handler: typeof models, path: string): Promise<unknown> {
  const { signal } = new AbortController();
  const request = { method: "GET", path, query: "", headers: {}, readBody: () => ({ text: "" }), remoteAddress: "127.0.0.1", signal };
  const reply = await handler(openRequest(request));
  return JSON.parse(String(reply.body));
}

const refusalOf = (name: string) => {
  try {
    readModel(name, { allowedModels: null });
  } catch (error) {
    if (isAppError(error)) return { code: error.code, message: error.message, details: error.details };
    throw error;
  }
  throw new Error(`${name} is served`);
};

test.each(["gpt-4", "openai/gpt-4"])("%s", (name) => {
  expect(refusalOf(name)).toEqual({
    code: "INVALID_MODEL",
    message: "gpt-4 retired on 2026-10-23. Use gpt-5.6-sol instead",
    details: { model: name, supportedModels: supportedModelNames(), retiredOn: "2026-10-23", successor: "gpt-5.6-sol" },
  });
});

test("a name that never was says nothing of a retirement", () => {
  expect(refusalOf("gpt-99")).toMatchObject({ message: 'Unknown model "gpt-99". details.supportedModels lists the supported models' });
  expect(refusalOf("gpt-99").details).toEqual({ model: "gpt-99", supportedModels: supportedModelNames() });
});

test("the list of models has the day of those that have one, and a retired one is not found with its successor", async () => {
  const { data } = (await read(models, "/api/v1/models")) as { data: { id: string }[] };
  const of = (id: string) => data.find((one) => one.id === id);
  expect(of("gpt-4o")).toMatchObject({ retiresOn: "2027-01-14", successor: "gpt-6-luna" });
  expect(of("gpt-6-luna")).not.toHaveProperty("retiresOn");
  expect(of("gpt-4")).toBeUndefined();
  expect(await read(model, "/api/v1/models/gpt-4")).toMatchObject({
    code: "NOT_FOUND",
    error: "gpt-4 retired on 2026-10-23. Use gpt-5.6-sol instead",
  });
});
