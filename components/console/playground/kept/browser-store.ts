// What the playground keeps in this browser, by account: the draft and the answers, until the owner signs out.

const PREFIX = "playground:";
const CLEARED = "playground-cleared";

export type KeptPart = "draft" | "runs";

const keyOf = (accountId: string, part: KeptPart): string => `${PREFIX}${accountId}:${part}`;

/** The kept value, unchecked; null when there is none, or the browser allows no storage. */
export function readKept(accountId: string, part: KeptPart): unknown {
  try {
    return JSON.parse(localStorage.getItem(keyOf(accountId, part)) ?? "null");
  } catch {
    return null;
  }
}

/** Keeps a value; bigints become digits. Keeps nothing, not even the value before, where the browser has no space for it. */
export function keep(accountId: string, part: KeptPart, value: unknown): void {
  const text = JSON.stringify(value, (_, field: unknown) => (typeof field === "bigint" ? String(field) : field));
  const key = keyOf(accountId, part);
  if (!write(key, text)) write(key, "null");
}

/** False where the browser has no space, or allows no storage: the page works without it. */
function write(key: string, text: string): boolean {
  try {
    localStorage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

/** Removes what is kept of one account, or of all: its owner signs out. */
export function clearPlayground(accountId?: string): void {
  const prefix = accountId === undefined ? PREFIX : `${PREFIX}${accountId}:`;
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key);
  } catch {
    // Nothing was kept.
  }
  window.dispatchEvent(new Event(CLEARED));
}

/** Calls `listener` when this or another tab clears the store; returns a function that stops it. */
export function onCleared(listener: () => void): () => void {
  const onStorage = ({ key, newValue }: StorageEvent) => {
    if (key === null || (key.startsWith(PREFIX) && newValue === null)) listener();
  };
  window.addEventListener(CLEARED, listener);
  window.addEventListener("storage", onStorage);
  return () => {
    window.removeEventListener(CLEARED, listener);
    window.removeEventListener("storage", onStorage);
  };
}
