import type { Metadata, Viewport } from "next";
import localFont from "next/font/local";
import { cookies, headers } from "next/headers";
import type { ReactNode } from "react";
import { readTheme, THEME_COOKIE } from "@/components/site/theme";
import "./globals.css";
import { readSite } from "./site";

// Loaded by file, with our own fallback: next/font makes Arial 4 % wider than Geist. `optional`: a font that comes late is kept for the next
// page, since where Arial is missing no fallback is as wide as Geist, and the page would shift under its reader.
const geistSans = localFont({
  src: "../node_modules/geist/dist/fonts/geist-sans/Geist-Variable.woff2",
  variable: "--font-geist-sans",
  weight: "100 900",
  display: "optional",
  adjustFontFallback: false,
  fallback: ["Geist Fallback"],
});

const geistMono = localFont({
  src: "../node_modules/geist/dist/fonts/geist-mono/GeistMono-Variable.woff2",
  variable: "--font-geist-mono",
  weight: "100 900",
  display: "optional",
  adjustFontFallback: false,
  fallback: [
    "ui-monospace",
    "SFMono-Regular",
    "Roboto Mono",
    "Menlo",
    "Monaco",
    "Liberation Mono",
    "DejaVu Sans Mono",
    "Courier New",
    "monospace",
  ],
});

export async function generateMetadata(): Promise<Metadata> {
  const { name, isSandbox, baseUrl } = readSite();
  return {
    title: { default: `${name}: any model, paid per prompt in USDC`, template: `%s · ${name}` },
    description: "One API for many AI models. Pay per request in USDC, at the exact cost.",
    metadataBase: new URL(baseUrl),
    ...(isSandbox ? { robots: { index: false } } : {}),
  };
}

export const viewport: Viewport = {
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#fdfcfb" },
    { media: "(prefers-color-scheme: dark)", color: "#110f0d" },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  // Awaited so that no page is rendered at build time: each needs its own answer's nonce, and this process's settings.
  await headers();
  const theme = readTheme((await cookies()).get(THEME_COOKIE)?.value);
  const { isSandbox, mayHaveRealModels } = readSite();
  return (
    <html lang="en" data-theme={theme === "system" ? undefined : theme} className={`${geistSans.variable} ${geistMono.variable}`}>
      <body className="flex min-h-dvh flex-col font-sans">
        <a
          href="#content"
          className="sr-only rounded bg-ink px-4 py-2 text-sm text-paper focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-10"
        >
          Skip to content
        </a>
        {isSandbox ? <SandboxBanner mayHaveRealModels={mayHaveRealModels} /> : null}
        {children}
      </body>
    </html>
  );
}

interface SandboxBannerProps {
  /** The operator allows real providers in the sandbox. */
  mayHaveRealModels: boolean;
}

/** Shown above every page of a sandbox. */
function SandboxBanner({ mayHaveRealModels }: SandboxBannerProps) {
  return (
    <aside aria-label="Sandbox" className="border-b border-amber-edge bg-amber-wash text-amber-ink">
      <p className="mx-auto max-w-wide px-5 py-1.5 text-center text-xs">
        <strong className="font-medium">Sandbox:</strong>{" "}
        {mayHaveRealModels ? "money is simulated, and so are models without a configured provider." : "models and money are simulated."}{" "}
        <span className="max-sm:sr-only">No real money is involved.</span>
      </p>
    </aside>
  );
}
