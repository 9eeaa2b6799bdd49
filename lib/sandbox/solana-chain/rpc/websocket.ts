// The part of WebSockets (RFC 6455) that a local server of short texts needs: no extensions, no binary frames.

import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

export interface WebSocketEvents {
  onText: (text: string) => void;
  /** Called once, however the connection ends. */
  onEnd: () => void;
}

export interface WebSocketPeer {
  send(text: string): void;
  end(): void;
}

const ACCEPT_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const MAX_BYTES = 4 * 2 ** 20;
const [CONTINUATION, TEXT, CLOSE, PING, PONG] = [0, 1, 8, 9, 10];
const [PROTOCOL_ERROR, UNSUPPORTED, TOO_BIG] = [1002, 1003, 1009];

/** Accepts an upgrade request; null, with an error to the client, when it is not for a WebSocket. */
export function acceptWebSocket(request: IncomingMessage, socket: Duplex, { onText, onEnd }: WebSocketEvents): WebSocketPeer | null {
  const key = request.headers["sec-websocket-key"];
  if (request.headers.upgrade?.toLowerCase() !== "websocket" || key === undefined) {
    socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    return null;
  }
  const accept = createHash("sha1").update(`${key}${ACCEPT_SUFFIX}`).digest("base64");
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
  const reader = new FrameReader(onText, (opcode, payload) => {
    socket.write(frame(opcode, payload));
    if (opcode === CLOSE) socket.end();
  });
  socket.on("data", (bytes: Buffer) => reader.read(bytes));
  socket.on("error", () => {}); // client disconnected: `close` follows
  socket.once("close", onEnd);
  return {
    send: (text) => void (socket.writable && socket.write(frame(TEXT, Buffer.from(text)))),
    end: () => socket.destroy(),
  };
}

/** A server frame: unfragmented and unmasked. */
function frame(opcode: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(payload.length < 126 ? 2 : payload.length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  if (payload.length < 126) head[1] = payload.length;
  else if (payload.length < 65_536) {
    head[1] = 126;
    head.writeUInt16BE(payload.length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(payload.length), 2);
  }
  return Buffer.concat([head, payload]);
}

class FrameReader {
  readonly #onText: (text: string) => void;
  readonly #reply: (opcode: number, payload: Buffer) => void;
  #unread = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #isClosed = false;

  constructor(onText: (text: string) => void, reply: (opcode: number, payload: Buffer) => void) {
    this.#onText = onText;
    this.#reply = reply;
  }

  read(bytes: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, bytes]);
    while (!this.#isClosed && this.#readFrame());
  }

  /** False when more bytes are needed. */
  #readFrame(): boolean {
    const [first, second] = this.#unread;
    if (first === undefined || second === undefined) return false;
    const short = second & 0x7f;
    const maskAt = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (this.#unread.length < maskAt + 4) return false;
    const length = short < 126 ? short : short === 126 ? this.#unread.readUInt16BE(2) : Number(this.#unread.readBigUInt64BE(2));
    if ((second & 0x80) === 0) return this.#close(PROTOCOL_ERROR);
    if (length > MAX_BYTES) return this.#close(TOO_BIG);
    const start = maskAt + 4;
    if (this.#unread.length < start + length) return false;
    const mask = this.#unread.subarray(maskAt, start);
    const payload = Buffer.from(this.#unread.subarray(start, start + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
    this.#unread = this.#unread.subarray(start + length);
    return this.#take(first & 0x0f, (first & 0x80) !== 0, payload);
  }

  #take(opcode: number, isFinal: boolean, payload: Buffer): boolean {
    if (opcode === CLOSE) return this.#close(payload.length >= 2 ? payload.readUInt16BE(0) : 1000);
    if (opcode === PING) this.#reply(PONG, payload);
    if (opcode === PING || opcode === PONG) return true;
    if (opcode !== TEXT && opcode !== CONTINUATION) return this.#close(UNSUPPORTED);
    this.#parts.push(payload);
    if (this.#parts.reduce((sum, part) => sum + part.length, 0) > MAX_BYTES) return this.#close(TOO_BIG);
    if (!isFinal) return true;
    const text = Buffer.concat(this.#parts.splice(0)).toString("utf8");
    this.#onText(text);
    return true;
  }

  #close(code: number): false {
    this.#isClosed = true;
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    this.#reply(CLOSE, payload);
    return false;
  }
}
