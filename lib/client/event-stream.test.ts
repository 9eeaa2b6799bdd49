import fc from "fast-check";
import { expect, test } from "vitest";
import { EventParser, type ServerSentEvent } from "./event-stream";

function eventsOf(pieces: readonly string[]): ServerSentEvent[] {
  const parser = new EventParser();
  return pieces.flatMap((piece) => parser.push(piece));
}

const message = (text: string, name = "message") => ({ name, text });

test.each([
  ["a data line with one space after the colon", "data: a\n\n", [message("a")]],
  ["a data line without a space", "data:a\n\n", [message("a")]],
  ["only the first space is dropped", "data:  a \n\n", [message(" a ")]],
  ["several data lines are one event", "data: a\ndata: b\n\n", [message("a\nb")]],
  ["an empty data line counts", "data\n\n", [message("")]],
  ["a name, wherever it stands", "data: a\nevent: x\n\ndata: b\n\n", [message("a", "x"), message("b")]],
  ["comments are ignored", ": keep-alive\n\ndata: a\n:\n\n", [message("a")]],
  ["unknown fields are ignored", "id: 7\nretry: 1\ndatabase: x\ndata: a\n\n", [message("a")]],
  ["an event without data is dropped", "event: x\n\ndata: a\n\n", [message("a")]],
  ["an unfinished event is dropped", "data: a\n\ndata: b\n", [message("a")]],
])("%s", (_, text, expected) => {
  expect(eventsOf([text])).toEqual(expected);
  expect(eventsOf([...text])).toEqual(expected);
});

test("any lines come out unchanged, with any line ending and any split into pieces", () => {
  const line = fc.string({ unit: "binary", maxLength: 12 }).map((text) => text.replace(/[\r\n]/g, ""));
  const cases = fc.record({
    events: fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { maxLength: 5 }),
    newline: fc.constantFrom("\n", "\r\n", "\r"),
    size: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(
    fc.property(cases, ({ events, newline, size }) => {
      const text = events.map((lines) => [...lines.map((each) => `data: ${each}`), "", ""].join(newline)).join("");
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
      expect(eventsOf(pieces)).toEqual(events.map((lines) => message(lines.join("\n"))));
    }),
  );
});
