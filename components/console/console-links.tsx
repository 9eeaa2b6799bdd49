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
import { type ConsoleArea, consoleAreas, siteAreas } from "./console-areas";

const icons: Readonly<Record<string, LucideIcon>> = {
  "/overview": LayoutGridIcon,
  "/keys": KeyRoundIcon,
  "/deposit": ArrowDownToLineIcon,
  "/withdraw": ArrowUpFromLineIcon,
  "/usage": ActivityIcon,
  "/alerts": BellIcon,
  "/playground": TerminalIcon,
  "/payments": SignatureIcon,
  "/activity": HistoryIcon,
  "/settings": SettingsIcon,
  "/models": BoxesIcon,
  "/docs": BookOpenIcon,
};

interface ConsoleLink extends ConsoleArea {
  Icon: LucideIcon;
}

const withIcon = (area: ConsoleArea): ConsoleLink => ({ ...area, Icon: icons[area.href] ?? EllipsisIcon });

const links = consoleAreas.map(withIcon);

/** On a desktop they are in the header. */
const siteLinks = siteAreas.map(withIcon);

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
