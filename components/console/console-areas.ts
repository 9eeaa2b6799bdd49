// The areas of the console, in the order of its navigation; the command palette lists them too.

export interface ConsoleArea {
  href: string;
  text: string;
  /** In the phone's bottom bar, which has space for four links and "More". */
  inBar?: boolean;
}

export const consoleAreas: readonly ConsoleArea[] = [
  { href: "/overview", text: "Overview", inBar: true },
  { href: "/keys", text: "Keys", inBar: true },
  { href: "/deposit", text: "Deposit", inBar: true },
  { href: "/withdraw", text: "Withdraw" },
  { href: "/usage", text: "Usage", inBar: true },
  { href: "/alerts", text: "Alerts" },
  { href: "/playground", text: "Playground" },
  { href: "/payments", text: "Pay per request" },
  { href: "/activity", text: "Activity" },
  { href: "/settings", text: "Settings" },
];

export const siteAreas: readonly ConsoleArea[] = [
  { href: "/models", text: "Models" },
  { href: "/docs", text: "Docs" },
];
