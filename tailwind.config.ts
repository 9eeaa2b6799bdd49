import type { Config } from "tailwindcss";

// The names of the look. Their values, light and dark, stand in app/globals.css.
const token = (name: string) => `var(--${name})`;

export default {
  theme: {
    colors: {
      transparent: "transparent",
      current: "currentColor",
      paper: token("paper"),
      panel: token("panel"),
      line: token("line"),
      edge: token("edge"),
      ink: token("ink"),
      muted: token("muted"),
      faint: token("faint"),
      copper: { DEFAULT: token("copper"), ink: token("copper-ink"), wash: token("copper-wash") },
      amber: { ink: token("amber-ink"), wash: token("amber-wash"), edge: token("amber-edge") },
      red: token("red"),
      green: token("green"),
    },
    // Five sizes, each with the line height that it is read at.
    fontSize: {
      xs: ["12px", "16px"],
      sm: ["14px", "20px"],
      base: ["16px", "26px"],
      lg: ["20px", "28px"],
      xl: ["32px", "40px"],
    },
    fontWeight: { normal: "400", medium: "500", semibold: "600" },
    fontFamily: {
      sans: ["var(--font-geist-sans)", "ui-sans-serif", "system-ui", "sans-serif"],
      mono: ["var(--font-geist-mono)", "ui-monospace", "monospace"],
    },
    borderRadius: { none: "0", sm: "4px", DEFAULT: "8px", full: "9999px" },
    extend: {
      maxWidth: { reading: "720px", wide: "1120px" },
      transitionDuration: { DEFAULT: "120ms" },
      transitionTimingFunction: { DEFAULT: "ease-out" },
    },
  },
} satisfies Config;
