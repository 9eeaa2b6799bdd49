// The memory of the demo wallets in this browser: whether they are connected, and the new test wallet's keys.

export interface DemoMemory {
  recall: (name: string) => string | null;
  /** Null forgets it. */
  remember: (name: string, value: string | null) => void;
}

const PREFIX = "demo-wallet:";

export function createDemoMemory(): DemoMemory {
  /** For browsers without storage: until the page is left. */
  const kept = new Map<string, string>();
  return {
    recall: (name) => {
      try {
        return localStorage.getItem(PREFIX + name);
      } catch {
        return kept.get(name) ?? null;
      }
    },
    remember: (name, value) => {
      try {
        if (value === null) localStorage.removeItem(PREFIX + name);
        else localStorage.setItem(PREFIX + name, value);
      } catch {
        if (value === null) kept.delete(name);
        else kept.set(name, value);
      }
    },
  };
}
