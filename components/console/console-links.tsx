"use client";

import {
  ActivityIcon,
  ArrowDownToLineIcon,
  ArrowUpFromLineIcon,
  KeyRoundIcon,
  LayoutGridIcon,
  type LucideIcon,
  SettingsIcon,
  SignatureIcon,
  TerminalIcon,
} from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";

interface ConsoleLink {
  href: string;
  text: string;
  Icon: LucideIcon;
  /** Not in the phone's bottom bar, which fits five links. */
  sideOnly?: boolean;
}

const links: readonly ConsoleLink[] = [
  { href: "/overview", text: "Overview", Icon: LayoutGridIcon },
  { href: "/keys", text: "Keys", Icon: KeyRoundIcon },
  { href: "/deposit", text: "Deposit", Icon: ArrowDownToLineIcon },
  { href: "/withdraw", text: "Withdraw", Icon: ArrowUpFromLineIcon, sideOnly: true },
  { href: "/usage", text: "Usage", Icon: ActivityIcon },
  { href: "/playground", text: "Playground", Icon: TerminalIcon },
  { href: "/payments", text: "Pay per request", Icon: SignatureIcon, sideOnly: true },
  { href: "/settings", text: "Settings", Icon: SettingsIcon, sideOnly: true },
];

/** The areas of the console: at the side on a desktop, as a bar of five at the bottom of a phone. */
export function ConsoleLinks({ place }: { place: "side" | "bottom" }) {
  const path = usePathname();
  const shown = links.filter(({ sideOnly }) => place === "side" || !sideOnly);
  const look =
    place === "side"
      ? "flex h-9 items-center gap-2.5 rounded px-3 text-sm aria-[current]:bg-panel aria-[current]:font-medium"
      : "flex flex-1 flex-col items-center gap-1 pt-2 pb-1.5 text-xs";
  return shown.map(({ href, text, Icon }) => (
    <Link
      key={href}
      href={href}
      aria-current={path === href || path.startsWith(`${href}/`) ? "page" : undefined}
      className={`text-muted transition hover:text-ink aria-[current]:text-ink [&[aria-current]_svg]:text-copper-ink ${look}`}
    >
      <Icon aria-hidden="true" className={place === "side" ? "size-4" : "size-5"} strokeWidth={1.6} />
      {text}
    </Link>
  ));
}
