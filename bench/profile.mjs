// Where our process spends its time under load: V8's own sampling profile of the service, cut to the seconds of the load, by function
// and by source file.

import { readdirSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { measureWithBooks } from "./books.mjs";
import { deleteSandbox, root, seedSandbox, startService } from "./service.mjs";

const LINES = 40;

/** Runs the thousand-wallet load on a service that profiles itself; resolves with the summary as text. */
export async function profileService(room, { upstream, directory, cache, pace }) {
  const dataDir = join(cache, `profile-${process.pid}`);
  room.onClose(() => deleteSandbox(dataDir));
  await seedSandbox(dataDir, { charges: 10, upstream, cache });
  const nodeArguments = ["--cpu-prof", "--cpu-prof-interval", "500", `--cpu-prof-dir=${directory}`];
  const service = await startService(room, { dataDir, upstream, directory, name: "profiled", nodeArguments });
  const load = { connections: 64, directory, upstream, check: false };
  await measureWithBooks(service.wallets, { ...load, seconds: pace.warmUpSeconds, tries: 1 });
  const result = await measureWithBooks(service.wallets, { ...load, seconds: pace.seconds, tries: pace.tries });
  await service.stop();
  const file = readdirSync(directory).find((name) => name.endsWith(".cpuprofile"));
  if (!file) throw new Error("The service left no profile");
  const profile = JSON.parse(readFileSync(join(directory, file), "utf8"));
  return summarise(profile, result.startedAtUs, result.startedAtUs + result.seconds * 1e6, result.requests);
}

function summarise(profile, from, to, requests) {
  const selfUs = samplesWithin(profile, from, to);
  const place = placeFinder();
  const byFunction = new Map();
  const byFile = new Map();
  let busyUs = 0;
  for (const { id, callFrame } of profile.nodes) {
    const us = selfUs.get(id);
    if (!us || callFrame.functionName === "(idle)") continue;
    busyUs += us;
    const { file, line } = place(callFrame);
    const name = `${callFrame.functionName || "(anonymous)"} ${file}${line ? `:${line}` : ""}`;
    byFunction.set(name, (byFunction.get(name) ?? 0) + us);
    byFile.set(file || callFrame.functionName, (byFile.get(file || callFrame.functionName) ?? 0) + us);
  }
  const lines = (map) =>
    [...map]
      .sort(([, a], [, b]) => b - a)
      .slice(0, LINES)
      .map(
        ([name, us]) => `${((us / busyUs) * 100).toFixed(1).padStart(5)} %  ${(us / requests).toFixed(1).padStart(6)} us/request  ${name}`,
      );
  const head = `${requests} requests, ${(busyUs / requests).toFixed(0)} us busy each, ${((busyUs / (to - from)) * 100).toFixed(0)} % of the core`;
  return [head, "", "self time by function", ...lines(byFunction), "", "self time by file", ...lines(byFile)].join("\n");
}

/** Microseconds of each node within a span of the clock. */
function samplesWithin({ startTime, samples, timeDeltas }, from, to) {
  const selfUs = new Map();
  let at = startTime;
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index];
    // A sample counts for the time until the next one.
    if (at >= from && at < to) selfUs.set(id, (selfUs.get(id) ?? 0) + (timeDeltas[index + 1] ?? 0));
  }
  return selfUs;
}

/** Finds the source of a bundled function through the source map; shortens the paths of packages. */
function placeFinder() {
  const maps = new Map();
  const mapOf = (path) => {
    if (!maps.has(path)) maps.set(path, new SourceMap(JSON.parse(readFileSync(`${path}.map`, "utf8"))));
    return maps.get(path);
  };
  return ({ url, lineNumber, columnNumber }) => {
    if (!url) return { file: "" };
    if (!url.startsWith("file:")) return { file: url, line: lineNumber + 1 };
    const path = fileURLToPath(url);
    if (!path.startsWith(join(root, "dist/"))) return { file: relative(root, path).replace(/^.*node_modules\//, ""), line: lineNumber + 1 };
    const { originalSource, originalLine } = mapOf(path).findEntry(lineNumber, columnNumber);
    if (!originalSource) return { file: relative(root, path), line: lineNumber + 1 };
    return { file: originalSource.replace(/^(\.\.\/)+/, ""), line: originalLine + 1 };
  };
}
