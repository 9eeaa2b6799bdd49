// One of each per process. Next bundles its own copies of our modules (server, route handlers, pages), so a plain module
// variable would exist several times. Whatever must be single (pools, caches, limiters, loggers) is made through `once`.

const registryKey = Symbol.for("pennyprompt");

const registry = findRegistry();

function findRegistry(): Map<string, unknown> {
  const holder = globalThis as { [registryKey]?: Map<string, unknown> };
  holder[registryKey] ??= new Map();
  return holder[registryKey];
}

/** Returns the process-wide value called `name`, made by `make` on first use. */
export function once<T>(name: string, make: () => T): T {
  const known = registry.get(name);
  if (known !== undefined) return known as T;
  if (!registry.has(name)) registry.set(name, make());
  return registry.get(name) as T;
}

/** Forgets the value called `name`, so that the next `once` makes it anew: for shutdown and for tests. */
export function forgetOnce(name: string): void {
  registry.delete(name);
}
