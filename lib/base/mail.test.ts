// What may stand in our mails as an address, a sender or a server, and what is said of the rest.

import { expect, test } from "vitest";
import { mailAddress, mailSender, smtpServer } from "./mail";

const problemOf = (text: string): string | undefined => mailAddress.safeParse(text).error?.issues[0]?.message;

test("a plain address is taken as it was written; its domain becomes lower case", () => {
  expect(mailAddress.parse("  First.Last+tag@Mail.Example.COM ")).toBe("First.Last+tag@mail.example.com");
});

const refused: readonly (readonly [text: string, message: RegExp])[] = [
  ["you@example.com\r\nBcc: all@example.com", /line break/],
  ["you@example.com\n", /line break/],
  ["you\u0000@example.com", /invisible/],
  ["you\u202e@example.com", /invisible/],
  ["you\u2028@example.com", /line break/],
  ["", /Enter an email address/],
  ["a@example.com, b@example.com", /one address only/],
  ["a@example.com;b@example.com", /one address only/],
  ["a@b@example.com", /one address only/],
  ["You <you@example.com>", /only the address, without a name/],
  ['"you there"@example.com', /only the address, without a name/],
  ["a@example.com b", /only the address, without a name/],
  ["(note)you@example.com", /only the address, without a name/],
  [`${"a".repeat(65)}@example.com`, /too long/],
  [`you@${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(63)}.com`, /too long/],
  ["you", /Enter a valid email address/],
  ["you@localhost", /Enter a valid email address/],
  ["you@[127.0.0.1]", /Enter a valid email address/],
  ["you%other.example@example.com", /Enter a valid email address/],
  ["other!you@example.com", /Enter a valid email address/],
  ["yöu@example.com", /Enter a valid email address/],
  [".you@example.com", /Enter a valid email address/],
  ["-oQ/tmp/x@example.com", /Enter a valid email address/],
  ["you@exam_ple.com", /Enter a valid email address/],
];

test.each(refused)("the address %j is refused with what is wrong", (text, message) => {
  expect(problemOf(text)).toMatch(message);
});

test("a sender is an address, or a name of plain characters with one", () => {
  expect(mailSender.parse("alerts@Example.com")).toEqual({ name: "", address: "alerts@example.com" });
  expect(mailSender.parse("Penny Alerts <alerts@example.com>")).toEqual({ name: "Penny Alerts", address: "alerts@example.com" });
  for (const wrong of [
    "",
    "Penny",
    "Penny <penny>",
    "Penny\r\nBcc: x <a@example.com>",
    '"Penny" <a@example.com>',
    "a@example.com <b@example.com>",
  ])
    expect(mailSender.safeParse(wrong).error?.issues[0]?.message, wrong).toMatch(/alerts@example\.com/);
});

test("a mail server is smtps or smtp, with its port and login decoded", () => {
  expect(smtpServer.parse("smtps://user%40example.com:p%40ss%20word@mail.example.com")).toEqual({
    host: "mail.example.com",
    port: 465,
    tls: "implicit",
    login: { user: "user@example.com", password: "p@ss word" },
  });
  expect(smtpServer.parse("smtp://mail.example.com")).toEqual({ host: "mail.example.com", port: 587, tls: "starttls", login: null });
  expect(smtpServer.parse("smtp://[::1]:2525")).toMatchObject({ host: "::1", port: 2525 });
  const wrong = ["mail.example.com", "https://mail.example.com", "smtp://", "smtp://user@host", "smtp://:x@host", "smtp://u:%zz@host"];
  for (const text of [...wrong, "smtp://host?tls.rejectUnauthorized=false", "smtp://host/path"]) {
    const message = smtpServer.safeParse(text).error?.issues[0]?.message;
    expect(message, text).toMatch(/smtps:\/\/user:password@host:465/);
  }
});
