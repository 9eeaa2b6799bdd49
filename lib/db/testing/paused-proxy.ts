// A proxy to the database that pauses: nothing arrives and nothing breaks, as while a network or a server stands still.

import { once as nextEvent } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { byLoopback } from "./test-database";

export interface PausedProxy {
  /** The database's address through the proxy. */
  url: string;
  pause: () => void;
  resume: () => void;
  close: () => void;
}

export async function openPausedProxy(databaseUrl: string): Promise<PausedProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isPaused = false;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    const passOn = (from: Socket, to: Socket): void => {
      sockets.add(from);
      from.on("data", (bytes) => void to.write(bytes));
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      if (isPaused) from.pause();
    };
    passOn(near, far);
    passOn(far, near);
  });
  server.listen(0, "127.0.0.1");
  await nextEvent(server, "listening");
  const url = byLoopback(databaseUrl);
  url.port = `${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    pause: () => {
      isPaused = true;
      for (const socket of sockets) socket.pause();
    },
    resume: () => {
      isPaused = false;
      for (const socket of sockets) socket.resume();
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
