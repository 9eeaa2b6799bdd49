import { expect, test } from "vitest";
import { refusalText, refusalTextOf } from "./refusals";

test("each reason in a page's URL has its own message, and invalid text is never echoed", () => {
  expect(refusalTextOf("bad_signature")).toBe(refusalText("bad_signature"));
  expect(refusalTextOf("message_changed:domain")).toContain("The wallet changed the domain");
  expect(refusalTextOf("message_changed:rubbish")).toBe(refusalText("message_changed"));
  expect(refusalTextOf("wrong_origin")).toContain("Open http://127.0.0.1:3000");
  for (const rubbish of ["", "<script>", "constructor", "__proto__", "CredentialsSignin", "Configuration"]) {
    expect(refusalTextOf(rubbish)).toBe(refusalText("unavailable"));
  }
});
