"use client";

import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";

interface TabsProps {
  /** Names the list of tabs. */
  label: string;
  tabs: readonly { value: string; title: ReactNode; content: ReactNode }[];
  /** The tab that is open first; the first one by default. */
  initial?: string;
  onChange?: (value: string) => void;
}

export function Tabs({ label, tabs, initial, onChange }: TabsProps) {
  return (
    <Radix.Root defaultValue={initial ?? tabs[0]?.value} onValueChange={onChange}>
      <Radix.List aria-label={label} className="flex gap-5 overflow-x-auto border-b border-line">
        {tabs.map(({ value, title }) => (
          <Radix.Trigger
            key={value}
            value={value}
            className="-mb-px h-10 border-b-2 border-transparent text-sm whitespace-nowrap text-muted transition hover:text-ink -outline-offset-2 data-[state=active]:border-copper data-[state=active]:font-medium data-[state=active]:text-ink"
          >
            {title}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ value, content }) => (
        <Radix.Content key={value} value={value} className="pt-5 outline-offset-4">
          {content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
