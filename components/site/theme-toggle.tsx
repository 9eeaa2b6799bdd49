"use client";

import { useState } from "react";
import { MoonIcon, SunIcon, SystemIcon } from "../ui/icons";
import { nextTheme, type Theme, themeCookie } from "./theme";

const icons = { system: SystemIcon, light: SunIcon, dark: MoonIcon } as const;

/** Cycles through system, light and dark. Kept in a cookie, so that the server renders the next page with it. */
export function ThemeToggle({ initial }: { initial: Theme }) {
  const [theme, setTheme] = useState(initial);
  const Icon = icons[theme];

  const change = () => {
    const chosen = nextTheme(theme);
    setTheme(chosen);
    if (chosen === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in some supported browsers
    document.cookie = themeCookie(chosen);
  };

  return (
    <button
      type="button"
      onClick={change}
      aria-label={`Theme: ${theme}. Change to ${nextTheme(theme)}.`}
      title={`Theme: ${theme}`}
      className="-mr-2 grid size-8 place-items-center rounded text-muted transition hover:text-ink"
    >
      <Icon />
    </button>
  );
}
