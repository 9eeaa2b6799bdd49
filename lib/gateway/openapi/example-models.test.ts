// Models that examples name can be called: they are in the catalogue, and their vendor has not retired them.

import { expect, test } from "vitest";
import { nowMs } from "@/lib/base/clock";
import { eventTypes } from "@/lib/events/catalogue";
import { vendorRetirementOf } from "@/lib/providers/catalogue";
import { builtInModels } from "@/lib/providers/catalogue-data";

const named = Object.values(eventTypes).flatMap(({ example }) =>
  Object.entries(example).flatMap(([field, value]) =>
    (field === "model" || field === "successor") && typeof value === "string" ? [value] : [],
  ),
);

test("the examples of events name models of the catalogue that have not retired", () => {
  expect(named.length).toBeGreaterThanOrEqual(3);
  for (const id of named) {
    const model = builtInModels.find((one) => one.id === id);
    expect(model, id).toBeDefined();
    const retiresOn = model && vendorRetirementOf(model)?.on;
    expect(retiresOn === undefined || Date.parse(retiresOn) > nowMs(), id).toBe(true);
  }
});
