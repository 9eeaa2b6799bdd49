// What the demo wallets keep in this browser: whether they are connected, and the new wallet's keys.

const PREFIX = "demo-wallet:";
/** For browsers without storage: until the page is left. */
const kept = new Map<string, string>();

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return kept.get(name) ?? null;
  }
}

/** Null forgets it. */
export function remember(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    if (value === null) kept.delete(name);
    else kept.set(name, value);
  }
}
