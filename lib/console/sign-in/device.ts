// Describes a session's browser from its user agent. Only a hint for the reader: the header can be forged, and nothing depends on
// it.

// The first match counts: most browsers also name the browsers they imitate.
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?(?:iOS)?\//, "Edge"],
  [/\bOPR\/|\bOpera\b|\bOPiOS\//, "Opera"],
  [/\bVivaldi\//, "Vivaldi"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bYaBrowser\//, "Yandex Browser"],
  [/\bDuckDuckGo\/|\bDdg\//, "DuckDuckGo"],
  [/\bPhantom\//, "Phantom"],
  [/\bMetaMaskMobile\b/, "MetaMask"],
  [/\bCoinbaseWallet\b|\bCoinbaseBrowser\b|\bToshi\b/, "Coinbase Wallet"],
  [/\bTrust\//, "Trust Wallet"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bHeadlessChrome\//, "Headless Chrome"],
  [/\bChrome\/|\bCriOS\/|\bChromium\//, "Chrome"],
  [/\bVersion\/\d{1,3}\.[\d.]{1,8} (?:Mobile|Safari)\//, "Safari"],
  [/^curl\//, "curl"],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b|\biPod\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bWindows\b/, "Windows"],
  [/\bLinux\b|\bX11\b/, "Linux"],
];

/** Real ones have up to 250; whatever a client writes beyond is not looked at. */
const MAX_USER_AGENT_CHARACTERS = 512;

const nameIn = (names: readonly (readonly [RegExp, string])[], text: string) => names.find(([form]) => form.test(text))?.[1];

/** `Chrome on macOS`; unknown parts are left out. */
export function deviceText(userAgent: string): string {
  const text = userAgent.slice(0, MAX_USER_AGENT_CHARACTERS);
  const [browser, system] = [nameIn(browsers, text), nameIn(systems, text)];
  if (browser && system) return `${browser} on ${system}`;
  if (browser) return browser;
  return system ? `A browser on ${system}` : "An unknown browser";
}
