// The demo wallets' appearance in wallet lists.

export interface DemoBadge {
  /** In EIP-6963's form: a reverse domain name. */
  id: string;
  name: string;
  icon: string;
  /** The note on what a person gets with it. */
  note: string;
}

const letterP = '<path d="M12 24V8h5.5a4.75 4.75 0 0 1 0 9.5H12" fill="none" stroke="#fff" stroke-width="3"/>';
const plus = '<path d="M16 8v16M8 16h16" fill="none" stroke="#fff" stroke-width="3"/>';

const icon = (colour: string, sign: string): string =>
  `data:image/svg+xml;base64,${btoa(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${colour}"/>${sign}</svg>`)}`;

/** The sandbox's own account. */
export const usedWallet: DemoBadge = {
  id: "sandbox.demo-wallet",
  name: "Demo wallet",
  icon: icon("#b0612f", letterP),
  note: "A shared account that began with $25 in test USDC",
};

/** An account of one's own. */
export const newWallet: DemoBadge = {
  id: "sandbox.new-wallet",
  name: "New test wallet",
  icon: icon("#5b6470", plus),
  note: "Your own empty account. Its key stays in this browser.",
};

export const findBadge = (name: string): DemoBadge | undefined => [usedWallet, newWallet].find((badge) => badge.name === name);
