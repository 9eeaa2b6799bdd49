// EIP-6963: wallets of this browser announce themselves on request, and when they load.

export interface EvmProvider {
  request: (call: { method: string; params?: readonly unknown[] }) => Promise<unknown>;
  on?: (event: string, listener: (value: never) => void) => unknown;
  removeListener?: (event: string, listener: (value: never) => void) => unknown;
}

export interface AnnouncedProvider {
  info: { uuid: string; name: string; icon: string; rdns: string };
  provider: EvmProvider;
}

export const ANNOUNCE = "eip6963:announceProvider";
export const REQUEST = "eip6963:requestProvider";

/** Calls `seen` for every wallet, now and later; returns a function that stops it. */
export function watchProviders(seen: (announced: AnnouncedProvider) => void): () => void {
  const listen = (event: Event) => {
    if (event instanceof CustomEvent) seen(event.detail);
  };
  window.addEventListener(ANNOUNCE, listen);
  window.dispatchEvent(new Event(REQUEST));
  return () => window.removeEventListener(ANNOUNCE, listen);
}
