// The playground's store in this browser, by account: the drafts and the conversations, each under a key of its own, until the owner signs
// out.

const PREFIX = "playground:";
const CLEARED = "playground-cleared";

/** `linked` is the draft that a link has begun. `runs` is of an earlier version, and only read. */
export type KeptPart = "draft" | "linked" | "runs" | `chat:${string}`;

/** `full`: the browser has no space for it; `forbidden`: it allows no storage. */
export type KeepOutcome = "kept" | "full" | "forbidden";

const keyOf = (accountId: string, part: KeptPart): string => `${PREFIX}${accountId}:${part}`;

/** The kept value, unchecked; null when there is none, or the browser allows no storage. */
export function readKept(accountId: string, part: KeptPart): unknown {
  try {
    return JSON.parse(localStorage.getItem(keyOf(accountId, part)) ?? "null");
  } catch {
    return null;
  }
}

/** A value as it is kept; bigints become digits. */
export const keptText = (value: unknown): string =>
  JSON.stringify(value, (_, field: unknown) => (typeof field === "bigint" ? String(field) : field));

/** Keeps a value. Keeps nothing, not even the value before, where the browser has no space for it. */
export function keep(accountId: string, part: KeptPart, value: unknown): KeepOutcome {
  const key = keyOf(accountId, part);
  const outcome = write(key, keptText(value));
  if (outcome === "full") removeKept(accountId, part);
  return outcome;
}

export function removeKept(accountId: string, part: KeptPart): void {
  try {
    localStorage.removeItem(keyOf(accountId, part));
  } catch {
    // Nothing was kept.
  }
}

/** The ids of the account's kept conversations. */
export function listKeptChats(accountId: string): string[] {
  const prefix = keyOf(accountId, "chat:");
  try {
    return Object.keys(localStorage).flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
  } catch {
    return [];
  }
}

function write(key: string, text: string): KeepOutcome {
  try {
    localStorage.setItem(key, text);
    return "kept";
  } catch {
    return mayStore() ? "full" : "forbidden";
  }
}

/** Access itself throws where a browser forbids storage, and one character is too much only where it does. */
function mayStore(): boolean {
  try {
    localStorage.setItem(`${PREFIX}test`, "");
    localStorage.removeItem(`${PREFIX}test`);
    return true;
  } catch {
    return false;
  }
}

/** Removes the kept data of one account, or of all: its owner signs out. */
export function clearPlayground(accountId?: string): void {
  const prefix = accountId === undefined ? PREFIX : `${PREFIX}${accountId}:`;
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key);
    // Other tabs hear of a change to it.
    localStorage.setItem(CLEARED, String(Date.now()));
    localStorage.removeItem(CLEARED);
  } catch {
    // Nothing was kept.
  }
  window.dispatchEvent(new Event(CLEARED));
}

/** Calls `listener` when this or another tab clears the store; returns a function that stops it. */
export function onCleared(listener: () => void): () => void {
  const onStorage = ({ key, newValue }: StorageEvent) => {
    if (key === null || (key === CLEARED && newValue !== null)) listener();
  };
  window.addEventListener(CLEARED, listener);
  window.addEventListener("storage", onStorage);
  return () => {
    window.removeEventListener(CLEARED, listener);
    window.removeEventListener("storage", onStorage);
  };
}
