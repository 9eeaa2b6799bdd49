// Server-sent events: takes text in pieces of any size and returns complete events. Follows the WHATWG "event stream interpretation".

export interface ServerSentEvent {
  /** "message" when the event has no name. */
  name: string;
  /** Its data lines, joined by line feeds. */
  text: string;
}

export class EventParser {
  /** A line whose end has not arrived yet. */
  #rest = "";
  #name = "";
  #lines: string[] = [];
  #endedWithCarriageReturn = false;

  /** Returns the events that this piece of text completes. */
  push(text: string): ServerSentEvent[] {
    if (text === "") return [];
    // The line feed of a CRLF that was split between two pieces: its line has been read already.
    const piece = this.#endedWithCarriageReturn && text.startsWith("\n") ? text.slice(1) : text;
    this.#endedWithCarriageReturn = text.endsWith("\r");
    const lines = piece.split(/\r\n|\r|\n/);
    const last = lines.pop() ?? "";
    const events: ServerSentEvent[] = [];
    for (const line of lines) {
      const event = this.#readLine(this.#rest + line);
      this.#rest = "";
      if (event) events.push(event);
    }
    this.#rest += last;
    return events;
  }

  #readLine(line: string): ServerSentEvent | undefined {
    if (line === "") return this.#takeEvent();
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    // A comment line, which keeps an idle connection open, has an empty field name and is ignored like an unknown field.
    if (field === "data") this.#lines.push(value);
    else if (field === "event") this.#name = value;
    return undefined;
  }

  #takeEvent(): ServerSentEvent | undefined {
    const event = { name: this.#name || "message", text: this.#lines.join("\n") };
    const isEmpty = this.#lines.length === 0;
    this.#name = "";
    this.#lines = [];
    return isEmpty ? undefined : event;
  }
}
