// One of each per process. Next bundles its own copies of our modules (server, route handlers, pages), so a plain module
// variable would exist several times. Whatever must be single (pools, caches, limiters, loggers) is made through `once`.

interface Registry {
  values: Map<string, unknown>;
  /** Grows whenever a value is forgotten. */
  epoch: number;
}

const registryKey = Symbol.for("pennyprompt");

const registry = findRegistry();

function findRegistry(): Registry {
  const holder = globalThis as { [registryKey]?: Registry };
  holder[registryKey] ??= { values: new Map(), epoch: 0 };
  return holder[registryKey];
}

/** Returns the process-wide value called `name`, made by `make` on first use. */
export function once<T>(name: string, make: () => T): T {
  const { values } = registry;
  const known = values.get(name);
  if (known !== undefined) return known as T;
  if (!values.has(name)) values.set(name, make());
  return values.get(name) as T;
}

/** The same as a function, for what every request asks for many times: it looks the value up only when some value was forgotten. */
export function onceKept<T>(name: string, make: () => T): () => T {
  let kept: { value: T; epoch: number } | undefined;
  return () => {
    if (kept?.epoch !== registry.epoch) kept = { value: once(name, make), epoch: registry.epoch };
    return kept.value;
  };
}

/** Forgets the value called `name`, so that the next `once` makes it anew: for shutdown and for tests. */
export function forgetOnce(name: string): void {
  registry.values.delete(name);
  registry.epoch += 1;
}

/** Forgets every value: a test file begins like a new process. */
export function forgetAllSingletons(): void {
  registry.values.clear();
  registry.epoch += 1;
}
