// The theme a person chose: the system's, or a fixed one.

export const THEME_COOKIE = "theme";
const YEAR_S = 31_536_000;

const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** The cookie's theme; any unknown value follows the system. */
export const readTheme = (cookie: string | undefined): Theme => themes.find((theme) => theme === cookie) ?? "system";

export const nextTheme = (theme: Theme): Theme => themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";

/** The cookie that keeps `theme` for a year, or deletes the stored one. */
export const themeCookie = (theme: Theme): string =>
  `${THEME_COOKIE}=${theme}; path=/; samesite=lax; max-age=${theme === "system" ? 0 : YEAR_S}`;
