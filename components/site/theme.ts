// The theme a person chose: as the system does it, or pinned.

export const THEME_COOKIE = "theme";
const YEAR_S = 31_536_000;

const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** What the cookie says; anything unknown follows the system. */
export const readTheme = (cookie: string | undefined): Theme => themes.find((theme) => theme === cookie) ?? "system";

export const nextTheme = (theme: Theme): Theme => themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";

/** The text that keeps `theme` for a year, or forgets what was kept. */
export const themeCookie = (theme: Theme): string =>
  `${THEME_COOKIE}=${theme}; path=/; samesite=lax; max-age=${theme === "system" ? 0 : YEAR_S}`;
