// Retirement: until its day a model says when it ends, and from then on its names are refused with what to use instead.

import { writeFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import { readConfig } from "@/lib/base/config";
import { forgetSingleton, replaceSingleton } from "@/lib/base/process-singleton";
import { buildCatalogue, findModel, findRetired } from "./catalogue";
import { builtInModels } from "./catalogue-data";
import { retirements } from "./catalogue-data/retirements";
import { setEndpoints } from "./endpoints";
import { everyProvider, newModel, todayMs, vendorHosts, writeModelsFile } from "./testing/catalogues";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});
const modelsFile = (content: unknown): string => writeModelsFile(content, cleanups);

test("a model that its provider has retired is offered through compatible hosts only", () => {
  expect(buildCatalogue({ endpoints: vendorHosts, todayMs }).byName.has("gpt-4")).toBe(false);
  expect(buildCatalogue({ endpoints: vendorHosts, todayMs: Date.parse("2026-10-22") }).byName.has("gpt-4")).toBe(true);
  expect(buildCatalogue({ endpoints: everyProvider, todayMs }).byName.has("gpt-4")).toBe(true);
});

// ai.google.dev/gemini-api/docs/changelog, October 8, 2026: requests to these names are routed to the newer models. Gemini 3.5 Flash cost more
// output than the model that answers in its place.
test("a name under which Google serves another model is refused, with that model", () => {
  const { byName, retired } = buildCatalogue({ endpoints: vendorHosts, todayMs });
  for (const [id, successor] of [
    ["gemini-3.5-flash", "gemini-3.6-flash"],
    ["gemini-3.7-flash", "gemini-3.8-flash"],
  ] as const) {
    expect(byName.has(id)).toBe(false);
    expect(byName.has(successor)).toBe(true);
    expect(retired.get(id)).toEqual({ id, on: "2026-10-08", successor });
  }
});

test("an operator's own route is trusted, even for a retired model", () => {
  const path = modelsFile({
    models: [
      { id: "gpt-4", routes: [{ provider: "openai", wireName: "gpt-4" }], providerInputCost: 30, providerOutputCost: 60 },
      { id: "gpt-4-turbo", inputPrice: 41 },
    ],
  });
  const { byName } = buildCatalogue({ endpoints: vendorHosts, modelsFile: path, todayMs });
  expect(byName.has("gpt-4")).toBe(true);
  expect(byName.has("gpt-4-turbo")).toBe(false);
});

test("every retirement has a date, belongs to a route of the catalogue, and names a model that stays longer", () => {
  const routes = new Map(builtInModels.flatMap((model) => model.routes.map((route) => [`${route.provider}/${route.wireName}`, model.id])));
  const retiring = new Map([...retirements].map(([route, { on }]) => [routes.get(route), on]));
  for (const [route, { on, successor }] of retirements) {
    expect([...routes.keys()]).toContain(route);
    expect(on).toMatch(/^20\d\d-[01]\d-[0-3]\d$/);
    expect([...routes.values()]).toContain(successor);
    expect(Date.parse(retiring.get(successor) ?? "2999-01-01")).toBeGreaterThan(Date.parse(on));
  }
});

test("a model says when it retires, by its provider's date or an earlier one of the operator, and what to use instead", () => {
  const of = (models: object[], endpoints = vendorHosts) => {
    const { byName } = buildCatalogue({ endpoints, modelsFile: modelsFile({ models }), todayMs: Date.parse("2026-11-26") });
    return (id: string) => byName.get(id)?.retirement;
  };
  const built = of([]);
  expect(built("gpt-4o")).toEqual({ on: "2027-01-14", successor: "gpt-6-luna" });
  expect(built("gpt-6-luna")).toBeUndefined();
  expect(of([], everyProvider)("gpt-4o")).toBeUndefined();
  const earlier = of([{ id: "gpt-4o", retiresOn: "2026-12-24", successor: "gpt-5.4" }]);
  expect(earlier("gpt-4o")).toEqual({ on: "2026-12-24", successor: "gpt-5.4" });
  expect(of([{ id: "gpt-4o", retiresOn: "2028-01-01" }])("gpt-4o")).toEqual({ on: "2027-01-14", successor: "gpt-6-luna" });
  expect(of([{ ...newModel, retiresOn: "2028-01-01", successor: "gpt-5.4" }])("my-model")).toEqual({
    on: "2028-01-01",
    successor: "gpt-5.4",
  });
});

test("from its day of UTC on a model is refused under all its names, with a successor that is on offer", () => {
  const path = modelsFile({ models: [{ id: "gpt-6-luna", retiresOn: "2027-01-01" }] });
  const at = (time: string) => buildCatalogue({ endpoints: vendorHosts, modelsFile: path, todayMs: Date.parse(time) });
  expect(at("2027-01-13T23:59:59.999Z").byName.has("gpt-4o")).toBe(true);
  const { byName, retired } = at("2027-01-14T00:00:00Z");
  expect(byName.has("gpt-4o")).toBe(false);
  expect(retired.get("openai/gpt-4o")).toEqual({ id: "gpt-4o", on: "2027-01-14", successor: undefined });
  expect(retired.get("gpt-4")).toEqual({ id: "gpt-4", on: "2026-10-23", successor: "gpt-5.6-sol" });
  expect(retired.has("gpt-5.4")).toBe(false);
});

test("a model that retires while the process runs is gone on its day, and the models file is not read again", () => {
  const path = modelsFile({ models: [{ id: "gpt-4o", retiresOn: "2026-12-24" }] });
  replaceSingleton("config", readConfig({ MODELS_FILE: path }));
  cleanups.push(() => forgetSingleton("config"), setEndpoints(everyProvider));
  const at = (time: string) => cleanups.push(setClock(() => Date.parse(time)));
  at("2026-12-23T12:00:00Z");
  expect(findModel("gpt-4o")?.id).toBe("gpt-4o");
  writeFileSync(path, "not JSON");
  at("2026-12-24T00:00:00Z");
  expect(findModel("gpt-4o")).toBeNull();
  expect(findRetired("gpt-4o")).toEqual({ id: "gpt-4o", on: "2026-12-24", successor: undefined });
  expect(findRetired("gpt-4")).toBeNull();
});
