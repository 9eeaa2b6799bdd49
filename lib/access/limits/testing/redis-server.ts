// A real redis-server for tests: on a free port of 127.0.0.1, in its own directory, removed when the test file ends.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether redis-server is on the PATH. */
export const hasRedis = spawnSync("redis-server", ["--version"]).status === 0;
/** True where a missing redis-server must fail the tests instead of skipping them. */
export const redisRequired = process.env.CI === "true" || process.env.REDIS_REQUIRED === "1";

export class RedisServer {
  private readonly directory = mkdtempSync(join(tmpdir(), "redis-"));
  private readonly killOnExit = () => this.child?.kill("SIGKILL");
  private child: ChildProcess | undefined;
  private port = 0;

  static async start(): Promise<RedisServer> {
    const server = new RedisServer();
    process.once("exit", server.killOnExit);
    server.port = await freePort();
    await server.run();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts the server; after `kill` it starts again on the same port, empty. */
  async run(): Promise<void> {
    const child = spawn("redis-server", [
      "--port",
      `${this.port}`,
      "--bind",
      "127.0.0.1",
      "--dir",
      this.directory,
      "--save",
      "",
      "--appendonly",
      "no",
    ]);
    this.child = child;
    await new Promise<void>((resolve, reject) => {
      let output = "";
      child.stdout.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        if (output.includes("Ready to accept connections")) resolve();
      });
      child.once("error", reject);
      child.once("exit", () => reject(new Error(`redis-server did not start:\n${output}`)));
    });
  }

  /** Makes the server hang until `resume`, like a machine that is out of memory. */
  pause(): void {
    this.child?.kill("SIGSTOP");
  }

  resume(): void {
    this.child?.kill("SIGCONT");
  }

  async kill(): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }

  async remove(): Promise<void> {
    await this.kill();
    process.removeListener("exit", this.killOnExit);
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => (address && typeof address === "object" ? resolve(address.port) : reject(new Error("no free port"))));
    });
  });
}
