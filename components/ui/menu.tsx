"use client";

import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { classNames } from "./class-names";

interface MenuProps {
  /** The button that opens it; it must accept a ref. */
  trigger: ReactNode;
  children: ReactNode;
}

/** A button's menu: arrow keys move in it, Escape closes it. */
export function Menu({ trigger, children }: MenuProps) {
  return (
    // Not modal: a modal menu hides parts from assistive technology that the keyboard can still reach.
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          collisionPadding={8}
          className="z-30 min-w-44 rounded border border-edge bg-paper p-1 text-sm text-ink shadow-lg"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface MenuItemProps {
  onSelect?: () => void;
  /** Its action is irreversible. */
  danger?: boolean;
  disabled?: boolean;
  /** Its only child, such as a link, becomes the item. */
  asChild?: boolean;
  children: ReactNode;
}

export function MenuItem({ onSelect, danger = false, disabled = false, asChild = false, children }: MenuItemProps) {
  return (
    <DropdownMenu.Item
      asChild={asChild}
      disabled={disabled}
      onSelect={onSelect}
      className={classNames(
        "flex h-9 w-full cursor-pointer items-center gap-2.5 rounded-sm px-2.5 outline-none select-none data-[disabled]:cursor-not-allowed data-[disabled]:opacity-50 data-[highlighted]:bg-panel [&_svg]:size-4 [&_svg]:text-muted",
        danger && "text-red [&_svg]:text-red",
      )}
    >
      {children}
    </DropdownMenu.Item>
  );
}

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <DropdownMenu.Label className="px-2.5 py-2 text-xs text-muted">{children}</DropdownMenu.Label>
);

export const MenuSeparator = () => <DropdownMenu.Separator className="my-1 h-px bg-line" />;
