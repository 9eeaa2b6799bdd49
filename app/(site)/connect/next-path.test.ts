import { expect, test } from "vitest";
import { readNextPath, signedOutText } from "./next-path";

test("sign-in leads back to a page of the console with its query, and nowhere else", () => {
  for (const path of ["/usage", "/usage?model=gpt-4o&from=2026-11-01", "/usage?name=my+key", "/usage?name=a%20b", "/settings", "/activity"])
    expect(readNextPath(path), path).toBe(path);
  for (const path of [
    undefined,
    ["/usage"],
    "",
    "//evil.example",
    "/\\evil.example",
    "https://evil.example/usage",
    "/usage@evil",
    "/docs",
    "/constructor",
  ])
    expect(readNextPath(path), `${path}`).toBeNull();
});

test("who was signed out is told why, and where sign-in leads", () => {
  expect(signedOutText("ended", "/usage?model=gpt-4o")).toBe("Your session has ended. Sign in again to return to Usage.");
  expect(signedOutText("ended", null)).toBe("Your session has ended. Sign in again to continue.");
  expect(signedOutText("none", "/payments")).toBe("You are signed out. Sign in to open Pay per request.");
  expect(signedOutText("none", null)).toBeNull();
});
