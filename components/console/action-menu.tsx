"use client";

import { EllipsisIcon, type LucideIcon } from "lucide-react";
import { Button } from "../ui/button";
import { Menu, MenuItem, MenuSeparator } from "../ui/menu";

interface Item {
  text: string;
  Icon: LucideIcon;
  onSelect: () => void;
}

interface ActionMenuProps {
  /** The thing it acts on. */
  of: string;
  busy: boolean;
  /** In order; false: not offered now. */
  items: readonly (Item | false)[];
  /** The last, which cannot be undone. */
  danger: Item;
}

/** The menu of a row. */
export function ActionMenu({ of, busy, items, danger }: ActionMenuProps) {
  const offered = items.filter((item) => item !== false);
  return (
    <Menu
      trigger={
        <Button look="quiet" size="icon" busy={busy} aria-label={`Actions for ${of}`}>
          {busy ? null : <EllipsisIcon aria-hidden="true" />}
        </Button>
      }
    >
      {offered.map(({ text, Icon, onSelect }) => (
        <MenuItem key={text} onSelect={onSelect}>
          <Icon /> {text}
        </MenuItem>
      ))}
      {offered.length > 0 ? <MenuSeparator /> : null}
      <MenuItem danger onSelect={danger.onSelect}>
        <danger.Icon /> {danger.text}
      </MenuItem>
    </Menu>
  );
}
