// Whether any tab of this browser is linking another wallet, or choosing one to pay from: wallets notify every tab of the selected
// account.

const NAME = "wallet-linking-until";
/** Browsers let a background tab run only once a minute; a dead tab's mark expires after this. */
const LASTS_MS = 90_000;
const RENEWED_EVERY_MS = 15_000;

/** Marks linking as in progress until the returned function is called, or the tab dies. */
export function startLinking(): () => void {
  const renew = () => write(`${Date.now() + LASTS_MS}`);
  renew();
  const timer = setInterval(renew, RENEWED_EVERY_MS);
  return () => {
    clearInterval(timer);
    write(null);
  };
}

export function isLinking(): boolean {
  try {
    return Number(localStorage.getItem(NAME)) > Date.now();
  } catch {
    return false; // no storage in this browser
  }
}

function write(until: string | null): void {
  try {
    if (until === null) localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, until);
  } catch {
    // no storage in this browser: then no other tab watches a wallet either
  }
}
