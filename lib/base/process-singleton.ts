// One value per process. Next bundles its own copies of our modules (server, route handlers, pages), so a plain module variable
// would exist several times. Pools, caches, limiters and loggers are therefore process singletons.

interface Registry {
  values: Map<string, unknown>;
  /** Grows whenever a value is forgotten or replaced. */
  epoch: number;
}

const registryKey = Symbol.for("pennyprompt");

const registry = findRegistry();

function findRegistry(): Registry {
  const holder = globalThis as { [registryKey]?: Registry };
  holder[registryKey] ??= { values: new Map(), epoch: 0 };
  return holder[registryKey];
}

function findOrCreate<T>(name: string, create: () => T): T {
  const { values } = registry;
  if (!values.has(name)) values.set(name, create());
  return values.get(name) as T;
}

/**
 * Returns a function that returns the process-wide value called `name`; its first call creates the value with `create`. The function
 * caches the value, so a request may call it many times; it looks the value up again only after a value was forgotten or replaced.
 */
export function processSingleton<T>(name: string, create: () => T): () => T {
  let kept: { value: T; epoch: number } | undefined;
  return () => {
    if (kept?.epoch !== registry.epoch) {
      const value = findOrCreate(name, create);
      kept = { value, epoch: registry.epoch };
    }
    return kept.value;
  };
}

/** Forgets the value called `name`, so that the next read creates it anew: for shutdown and for tests. */
export function forgetSingleton(name: string): void {
  registry.values.delete(name);
  registry.epoch += 1;
}

/** Forgets every value: a test file begins like a new process. */
export function forgetAllSingletons(): void {
  registry.values.clear();
  registry.epoch += 1;
}

/** Sets every value aside, as in a new process, until the returned function is called: for tests. */
export function setSingletonsAside(): () => void {
  const { values } = registry;
  const exchange = (next: Registry["values"]) => {
    registry.values = next;
    registry.epoch += 1;
  };
  exchange(new Map());
  return () => exchange(values);
}

/** Puts `value` in the place of the value called `name`: for tests. */
export function replaceSingleton<T>(name: string, value: T): void {
  registry.values.set(name, value);
  registry.epoch += 1;
}
