import { expect, test } from "vitest";
import { deviceText } from "./device";

const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
const mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)";
const windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)";
const iphone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";
const android = "Mozilla/5.0 (Linux; Android 10; K)";

test.each([
  [`${mac} ${webkit} Chrome/156.0.0.0 Safari/537.36`, "Chrome on macOS"],
  [`${mac} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15`, "Safari on macOS"],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
  [`${windows} ${webkit} Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0`, "Edge on Windows"],
  [`${windows} ${webkit} Chrome/156.0.0.0 Safari/537.36 OPR/120.0.0.0`, "Opera on Windows"],
  [`${iphone} Version/18.1 Mobile/15E148 Safari/604.1`, "Safari on iPhone"],
  [`${iphone} CriOS/156.0.0.0 Mobile/15E148 Safari/604.1`, "Chrome on iPhone"],
  [`${iphone} FxiOS/140.0 Mobile/15E148 Safari/605.1.15`, "Firefox on iPhone"],
  [`${iphone} Mobile/15E148 MetaMaskMobile`, "MetaMask on iPhone"],
  [`${android} ${webkit} Chrome/156.0.0.0 Mobile Safari/537.36`, "Chrome on Android"],
  [`${android} ${webkit} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`, "Samsung Internet on Android"],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/156.0.0.0 Safari/537.36`, "Chrome on ChromeOS"],
  [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/156.0.0.0 Safari/537.36`, "Headless Chrome on Linux"],
  ["curl/8.5.0", "curl"],
  ["Something on Windows", "A browser on Windows"],
  ["", "An unknown browser"],
  ["<script>alert(1)</script>", "An unknown browser"],
])("%j is %j", (userAgent, text) => {
  expect(deviceText(userAgent)).toBe(text);
});

test("of a text longer than any browser's only the beginning is read", () => {
  const product = " Firefox/140.0";
  expect(deviceText(`${"x".repeat(512 - product.length)}${product}`)).toBe("Firefox");
  expect(deviceText(`${"x".repeat(512)}${product}`)).toBe("An unknown browser");
});
