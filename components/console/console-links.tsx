"use client";

import {
  ActivityIcon,
  ArrowDownToLineIcon,
  ArrowUpFromLineIcon,
  BellIcon,
  BookOpenIcon,
  BoxesIcon,
  EllipsisIcon,
  HistoryIcon,
  KeyRoundIcon,
  LayoutGridIcon,
  type LucideIcon,
  SettingsIcon,
  SignatureIcon,
  TerminalIcon,
} from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { Menu, MenuItem, MenuSeparator } from "../ui/menu";

interface ConsoleLink {
  href: string;
  text: string;
  Icon: LucideIcon;
  /** In the phone's bottom bar, which has space for four links and "More". */
  inBar?: boolean;
}

const links: readonly ConsoleLink[] = [
  { href: "/overview", text: "Overview", Icon: LayoutGridIcon, inBar: true },
  { href: "/keys", text: "Keys", Icon: KeyRoundIcon, inBar: true },
  { href: "/deposit", text: "Deposit", Icon: ArrowDownToLineIcon, inBar: true },
  { href: "/withdraw", text: "Withdraw", Icon: ArrowUpFromLineIcon },
  { href: "/usage", text: "Usage", Icon: ActivityIcon, inBar: true },
  { href: "/alerts", text: "Alerts", Icon: BellIcon },
  { href: "/playground", text: "Playground", Icon: TerminalIcon },
  { href: "/payments", text: "Pay per request", Icon: SignatureIcon },
  { href: "/activity", text: "Activity", Icon: HistoryIcon },
  { href: "/settings", text: "Settings", Icon: SettingsIcon },
];

/** On a desktop they are in the header. */
const siteLinks: readonly ConsoleLink[] = [
  { href: "/models", text: "Models", Icon: BoxesIcon },
  { href: "/docs", text: "Docs", Icon: BookOpenIcon },
];

const look = "text-muted transition hover:text-ink aria-[current]:text-ink [&[aria-current]_svg]:text-copper-ink";

const isOpen = (path: string, { href }: ConsoleLink): boolean => path === href || path.startsWith(`${href}/`);

/** The areas of the console, at the side of a desktop. */
export function SideLinks() {
  const path = usePathname();
  return links.map((link) => (
    <Link
      key={link.href}
      href={link.href}
      aria-current={isOpen(path, link) ? "page" : undefined}
      className={`flex h-9 items-center gap-2.5 rounded px-3 text-sm aria-[current]:bg-panel aria-[current]:font-medium ${look}`}
    >
      <link.Icon aria-hidden="true" className="size-4" strokeWidth={1.6} />
      {link.text}
    </Link>
  ));
}

const barItem = `flex flex-1 flex-col items-center gap-1 pt-2 pb-1.5 text-xs ${look}`;

/** The areas of the console, at the bottom of a phone. */
export function BottomLinks() {
  const path = usePathname();
  return (
    <>
      {links
        .filter(({ inBar }) => inBar)
        .map((link) => (
          <Link key={link.href} href={link.href} aria-current={isOpen(path, link) ? "page" : undefined} className={barItem}>
            <link.Icon aria-hidden="true" className="size-5" strokeWidth={1.6} />
            {link.text}
          </Link>
        ))}
      <More path={path} />
    </>
  );
}

/** The links that the bar has no space for. */
function More({ path }: { path: string }) {
  const own = links.filter(({ inBar }) => !inBar);
  return (
    <Menu
      trigger={
        <button type="button" aria-current={own.some((link) => isOpen(path, link)) ? "true" : undefined} className={barItem}>
          <EllipsisIcon aria-hidden="true" className="size-5" strokeWidth={1.6} />
          More
        </button>
      }
    >
      {own.map((link) => (
        <MoreLink key={link.href} link={link} path={path} />
      ))}
      <MenuSeparator />
      {siteLinks.map((link) => (
        <MoreLink key={link.href} link={link} path={path} />
      ))}
    </Menu>
  );
}

const MoreLink = ({ link, path }: { link: ConsoleLink; path: string }) => (
  <MenuItem asChild>
    <Link
      href={link.href}
      aria-current={isOpen(path, link) ? "page" : undefined}
      className="aria-[current]:bg-panel aria-[current]:font-medium [&[aria-current]_svg]:text-copper-ink"
    >
      <link.Icon aria-hidden="true" /> {link.text}
    </Link>
  </MenuItem>
);
