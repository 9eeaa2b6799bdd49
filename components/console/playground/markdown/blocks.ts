// Splits Markdown that is still being written into blocks that no later text changes, so that each is read and drawn once. A block ends at
// an empty line outside of fenced code, unless the next line belongs to the same list; a code block is one block from its fence to its end.

export type Block = { kind: "text"; text: string } | { kind: "code"; language: string; text: string; isOpen: boolean };

/** A text without an empty line is cut at this length: reading it may take time that grows faster than its length. */
const MAX_TEXT = 8_000;

const fence = /^( {0,3})(`{3,}|~{3,})/;
/** A line that continues a list after an empty line: an indent, or another item. */
const continues = /^(?:[ \t]{2,}\S|[ \t]{0,3}(?:[-*+]|\d{1,9}[.)])[ \t])/;

interface State {
  blocks: Block[];
  /** Lines of the block under way. */
  lines: string[];
  length: number;
  isList: boolean;
  /** An empty line came after them. */
  isPaused: boolean;
  code: { indent: number; marker: string; language: string; lines: string[] } | null;
}

/** Reads a text that grows at its end: a finished line is read once. */
export class BlockReader {
  #text = "";
  #state = newState();
  /** Of the text: all complete lines before it were read. */
  #at = 0;

  /** The blocks of `text`; those of its beginning are the same objects as the last time. */
  read(text: string): readonly Block[] {
    if (!text.startsWith(this.#text.slice(0, this.#at)) || text.length < this.#at) {
      this.#state = newState();
      this.#at = 0;
    }
    this.#text = text;
    for (let end = text.indexOf("\n", this.#at); end >= 0; end = text.indexOf("\n", this.#at)) {
      readLine(this.#state, text.slice(this.#at, end).replace(/\r$/, ""));
      this.#at = end + 1;
    }
    return [...this.#state.blocks, ...this.#open(text.slice(this.#at))];
  }

  /** The unfinished blocks, with the line that is still being written. */
  #open(rest: string): Block[] {
    const { code, lines } = this.#state;
    if (code) {
      const written = rest === "" || isEnd(rest, code.marker) ? code.lines : [...code.lines, unindent(rest, code.indent)];
      return [{ kind: "code", language: code.language, text: written.join("\n"), isOpen: true }];
    }
    const text = [...lines, ...(rest === "" ? [] : [rest])].join("\n");
    if (text.trim() === "") return [];
    return cut(text).map((piece): Block => ({ kind: "text", text: piece }));
  }
}

const newState = (): State => ({ blocks: [], lines: [], length: 0, isList: false, isPaused: false, code: null });

function readLine(state: State, line: string): void {
  if (state.code) {
    if (isEnd(line, state.code.marker)) endCode(state);
    else state.code.lines.push(unindent(line, state.code.indent));
    return;
  }
  const [whole = "", indent = "", marker] = fence.exec(line) ?? [];
  const info = line.slice(whole.length).trim();
  // A fence of backticks has none after them: that is code within a line.
  if (marker !== undefined && !(marker.startsWith("`") && info.includes("`"))) {
    endText(state);
    state.code = { indent: indent.length, marker, language: languageOf(info), lines: [] };
    return;
  }
  if (line.trim() === "") {
    state.isPaused = state.lines.length > 0;
    if (state.isPaused) state.lines.push("");
    return;
  }
  if (state.isPaused && !(state.isList && continues.test(line.slice(0, 20)))) endText(state);
  if (state.lines.length === 0) state.isList = continues.test(line.slice(0, 20));
  state.isPaused = false;
  state.lines.push(line);
  state.length += line.length + 1;
  if (state.length > MAX_TEXT) endText(state);
}

const languageOf = (info: string): string => (info.slice(0, 40).split(/\s/)[0] ?? "").toLowerCase();

function endText(state: State): void {
  const text = state.lines.join("\n").trimEnd();
  if (text !== "") for (const piece of cut(text)) state.blocks.push({ kind: "text", text: piece });
  Object.assign(state, { lines: [], length: 0, isList: false, isPaused: false });
}

function endCode(state: State): void {
  if (!state.code) return;
  state.blocks.push({ kind: "code", language: state.code.language, text: state.code.lines.join("\n"), isOpen: false });
  state.code = null;
}

/** Without the spaces that its fence has before it. */
const unindent = (line: string, indent: number): string => (line.slice(0, indent).trim() === "" ? line.slice(indent) : line);

/** A fence ends with at least as many of its characters. */
function isEnd(line: string, marker: string): boolean {
  const text = line.length > 200 ? "" : line.trim();
  return text.length >= marker.length && text === marker.charAt(0).repeat(text.length);
}

/** A single line may be as long as the answer. */
function cut(text: string): string[] {
  if (text.length <= MAX_TEXT) return [text];
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + MAX_TEXT, text.length);
    // Never within a surrogate pair.
    if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end += 1;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}
