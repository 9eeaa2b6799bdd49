// Whether another wallet is being linked, or chosen to pay from, just now in any tab of this browser: wallets tell every tab which
// account is selected.

const NAME = "wallet-linking-until";
/** Browsers let a tab that is out of sight work once a minute; one that died is forgotten after this. */
const LASTS_MS = 90_000;
const RENEWED_EVERY_MS = 15_000;

/** Says so until the returned function is called, or the tab dies. */
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
    return false; // a browser that keeps nothing
  }
}

function write(until: string | null): void {
  try {
    if (until === null) localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, until);
  } catch {
    // a browser that keeps nothing: then no other tab watches a wallet either
  }
}
