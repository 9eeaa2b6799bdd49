"use client";

import { useEffect, useRef } from "react";
import { groupThousands } from "@/lib/base/money";
import { SearchIcon } from "../ui/icons";
import { digitsOf } from "./table-view";

interface FieldProps {
  value: string;
  onChange: (value: string) => void;
}

const box = "h-10 rounded border border-edge bg-paper text-sm text-ink transition placeholder:text-faint hover:border-faint";

/** `/` focuses it from anywhere on the page; Escape clears it. */
export function SearchField({ value, onChange }: FieldProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea, select, [contenteditable]");
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener("keydown", focus);
    return () => document.removeEventListener("keydown", focus);
  }, []);

  return (
    <label className="relative w-full text-xs text-muted md:w-80 md:grow">
      Search
      <SearchIcon className="pointer-events-none absolute bottom-3 left-3 text-faint" />
      <input
        ref={input}
        type="search"
        name="q"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && onChange("")}
        placeholder="Name, provider or use"
        autoComplete="off"
        spellCheck={false}
        className={`mt-1 block w-full pr-9 pl-9 [&::-webkit-search-cancel-button]:hidden ${box}`}
      />
      <span
        aria-hidden="true"
        className="absolute right-3 bottom-2.5 rounded-sm border border-line px-1.5 font-mono text-xs text-faint max-md:hidden"
      >
        /
      </span>
    </label>
  );
}

export function TokenField({ name, label, value, onChange }: FieldProps & { name: string; label: string }) {
  return (
    <label className="w-32 text-xs text-muted max-md:w-auto max-md:grow max-md:basis-32">
      {label}
      <input
        type="text"
        inputMode="numeric"
        name={name}
        value={groupThousands(value)}
        onChange={(event) => onChange(digitsOf(event.target.value))}
        placeholder="0"
        autoComplete="off"
        className={`mt-1 block w-full px-3 text-right font-mono ${box}`}
      />
    </label>
  );
}
