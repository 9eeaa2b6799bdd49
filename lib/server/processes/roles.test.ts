import { expect, test } from "vitest";
import { divideRoles } from "./roles";

test("the API has a process of its own, and in live mode the jobs have one", () => {
  expect(divideRoles(["api", "pages", "jobs"], "sandbox")).toEqual([["api"], ["pages", "jobs"]]);
  expect(divideRoles(["api", "pages", "jobs"], "live")).toEqual([["api"], ["pages"], ["jobs"]]);
  expect(divideRoles(["api", "pages"], "live")).toEqual([["api"], ["pages"]]);
});

test("a start with one role is one process", () => {
  for (const role of ["api", "pages", "jobs", "signer"] as const)
    for (const mode of ["sandbox", "live"] as const) expect(divideRoles([role], mode)).toEqual([[role]]);
});
