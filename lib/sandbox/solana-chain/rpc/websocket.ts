// The part of WebSockets (RFC 6455) that subscriptions need: short texts in one frame each, no extensions.

import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

export interface WebSocketPeer {
  /** At most 64 KB. */
  send(text: string): void;
}

const ACCEPT_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const [TEXT, CLOSE, PING, PONG] = [1, 8, 9, 10];
const [NORMAL, UNSUPPORTED] = [1000, 1003];
/** Bits of a frame's first two bytes. */
const [FINAL, MASKED] = [0x80, 0x80];

/** Accepts an upgrade request; null, with an error to the client, when it is not for a WebSocket. */
export function acceptWebSocket(request: IncomingMessage, socket: Duplex, onText: (text: string) => void): WebSocketPeer | null {
  const key = request.headers["sec-websocket-key"];
  if (request.headers.upgrade?.toLowerCase() !== "websocket" || key === undefined) {
    socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    return null;
  }
  const accept = createHash("sha1").update(`${key}${ACCEPT_SUFFIX}`).digest("base64");
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
  let unread = Buffer.alloc(0);
  socket.on("data", (bytes: Buffer) => {
    unread = Buffer.concat([unread, bytes]);
    for (let read = readFrame(unread); read !== null && socket.writable; read = readFrame(unread)) {
      unread = unread.subarray(read.length);
      if (read.opcode === TEXT) onText(read.payload.toString("utf8"));
      else if (read.opcode === PING) socket.write(frame(PONG, read.payload));
      else if (read.opcode !== PONG) socket.end(frame(CLOSE, closeCode(read.opcode === CLOSE ? NORMAL : UNSUPPORTED)));
    }
  });
  socket.on("error", () => {}); // client disconnected: `close` follows
  return { send: (text) => void (socket.writable && socket.write(frame(TEXT, Buffer.from(text)))) };
}

function closeCode(code: number): Buffer {
  const payload = Buffer.alloc(2);
  payload.writeUInt16BE(code);
  return payload;
}

/** A server's frame is not masked. */
function frame(opcode: number, payload: Buffer): Buffer {
  const isShort = payload.length < 126;
  const head = Buffer.alloc(isShort ? 2 : 4);
  head.writeUInt8(FINAL | opcode);
  head.writeUInt8(isShort ? payload.length : 126, 1);
  if (!isShort) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

/** Null when more bytes are needed. A frame that is not masked, not whole or longer than 64 KB has the opcode 0, which is not supported. */
function readFrame(bytes: Buffer): { opcode: number; payload: Buffer; length: number } | null {
  const [first = 0, second = 0] = bytes;
  const short = second & ~MASKED;
  const maskAt = short < 126 ? 2 : 4;
  if (bytes.length < maskAt + 4) return null;
  const start = maskAt + 4;
  const length = start + (short < 126 ? short : bytes.readUInt16BE(2));
  if ((first & FINAL) === 0 || (second & MASKED) === 0 || short === 127)
    return { opcode: 0, payload: Buffer.alloc(0), length: bytes.length };
  if (bytes.length < length) return null;
  const mask = bytes.subarray(maskAt, start);
  const payload = Buffer.from(bytes.subarray(start, length).map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
  return { opcode: first & 0x0f, payload, length };
}
