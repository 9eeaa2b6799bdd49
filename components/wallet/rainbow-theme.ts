import { lightTheme, type Theme } from "@rainbow-me/rainbowkit";

/** RainbowKit in this product's colours: the design tokens switch between dark and light on their own. */
export function rainbowTheme(): Theme {
  const base = lightTheme({ borderRadius: "small", overlayBlur: "none" });
  const { colors } = base;
  return {
    ...base,
    fonts: { body: "inherit" },
    colors: {
      ...colors,
      accentColor: "var(--ink)",
      accentColorForeground: "var(--paper)",
      actionButtonBorder: "var(--line)",
      actionButtonBorderMobile: "var(--line)",
      actionButtonSecondaryBackground: "var(--panel)",
      closeButton: "var(--muted)",
      closeButtonBackground: "var(--panel)",
      downloadBottomCardBackground: "var(--panel)",
      downloadTopCardBackground: "var(--panel)",
      error: "var(--red)",
      generalBorder: "var(--line)",
      generalBorderDim: "var(--line)",
      menuItemBackground: "var(--panel)",
      modalBackdrop: "color-mix(in oklab, black 40%, transparent)",
      modalBackground: "var(--paper)",
      modalBorder: "var(--edge)",
      modalText: "var(--ink)",
      modalTextDim: "var(--muted)",
      modalTextSecondary: "var(--muted)",
      profileForeground: "var(--paper)",
      selectedOptionBorder: "var(--edge)",
    },
    radii: { actionButton: "8px", connectButton: "8px", menuButton: "8px", modal: "8px", modalMobile: "8px" },
  };
}
