// Faults below HTTP on real sockets: answered once, where a client can still read it, and the connection ends in any case.

import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answerTransportFault } from "./transport-fault";

const server = createServer({ allowHalfOpen: true });
const accepted: ((socket: Socket) => void)[] = [];
server.on("connection", (socket) => {
  socket.on("error", () => undefined);
  accepted.shift()?.(socket);
});
beforeAll(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done)));
afterAll(() => new Promise((done) => server.close(done)));

const fault = (code: string): NodeJS.ErrnoException => Object.assign(new Error("a fault"), { code });

/** Runs `answer` on the server's side of a new connection; resolves with what its client received. */
async function meet(answer: (socket: Socket) => void): Promise<string> {
  accepted.push(answer);
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  let received = "";
  client.on("data", (chunk: Buffer) => {
    received += chunk.toString();
  });
  client.on("error", () => undefined);
  client.write("the start of something");
  await new Promise((resolve) => client.once("close", resolve));
  return received;
}

test.each([
  ["HPE_HEADER_OVERFLOW", "431 Request Header Fields Too Large", "headers_too_large"],
  ["ERR_HTTP_REQUEST_TIMEOUT", "408 Request Timeout", "too_slow"],
  ["HPE_INVALID_METHOD", "400 Bad Request", "bad_http"],
  ["ANYTHING_ELSE", "400 Bad Request", "bad_http"],
])("%s is answered with %s, in the form of every other error", async (code, status, reason) => {
  const received = await meet((socket) => answerTransportFault(fault(code), socket, false));
  const [head = "", body = ""] = received.split("\r\n\r\n");
  expect(head.split("\r\n")[0]).toBe(`HTTP/1.1 ${status}`);
  for (const name of [
    "content-type: application/json; charset=utf-8",
    "connection: close",
    'ratelimit-policy: "failed-auth"',
    "x-ratelimit-limit: ",
  ]) {
    expect(head).toContain(name);
  }
  const { requestId, details } = JSON.parse(body) as { requestId: string; details: object };
  expect(head).toContain(`x-request-id: ${requestId}`);
  expect(head).toContain(`content-length: ${Buffer.byteLength(body)}`);
  expect(details).toMatchObject({ reason, issues: [{ path: "" }] });
});

test("bytes after the fault are not answered as a second fault", async () => {
  const received = await meet((socket) => {
    for (let times = 0; times < 3; times++) answerTransportFault(fault("HPE_INVALID_METHOD"), socket, false);
  });
  expect(received.match(/HTTP\/1\.1 400/g)).toHaveLength(1);
});

test("nothing is written into an answer that is under way", async () => {
  const received = await meet((socket) => {
    socket.write("the first answer", () => answerTransportFault(fault("ERR_HTTP_REQUEST_TIMEOUT"), socket, true));
  });
  expect(received).toBe("the first answer");
});

test("a connection that its client has cut is closed silently", async () => {
  expect(await meet((socket) => answerTransportFault(fault("ECONNRESET"), socket, false))).toBe("");
});

test("a client that keeps the connection open is not waited for", async () => {
  let closed: Promise<void> | undefined;
  accepted.push((socket) => {
    closed = new Promise((resolve) => socket.once("close", () => resolve()));
    answerTransportFault(fault("HPE_INVALID_METHOD"), socket, false);
  });
  const client = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", allowHalfOpen: true });
  client.on("error", () => undefined);
  client.resume();
  await new Promise((resolve) => client.once("end", resolve)); // the client was answered, and keeps its side open
  await closed;
  client.destroy();
});
