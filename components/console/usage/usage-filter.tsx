"use client";

import Link from "next/link";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import type { UsageChoice } from "@/lib/console/views/usage";
import { Button } from "../../ui/button";
import { Input } from "../../ui/field";
import { Filter, FilterChoice } from "../filter";
import { customDays, presetDays, type UsageAddress, usageHref } from "./usage-address";

interface UsageFilterProps {
  address: UsageAddress;
  /** The span's first and last day, `2026-11-21`. */
  fromDay: string;
  toDay: string;
  presets: readonly number[];
  preset: number | null;
  models: readonly UsageChoice[];
  keys: readonly UsageChoice[];
  /** After the filters. */
  children: ReactNode;
}

/** The filter of the page's charges. */
export function UsageFilter({ address, fromDay, toDay, presets, preset, models, keys, children }: UsageFilterProps) {
  const isFiltered = address.model !== null || address.key !== null;
  const hrefOf = (change: Partial<UsageAddress>) => usageHref(address, change);
  const ofChoice = "max-sm:w-[calc(50%-8px)] sm:w-40";
  return (
    <Filter className="mb-8" clearHref={isFiltered ? hrefOf({ model: null, key: null }) : null} end={children}>
      {(go) => (
        <>
          <nav aria-label="Days" className="flex rounded border border-edge text-sm max-sm:w-full">
            {presets.map((days) => (
              <Link
                key={days}
                href={hrefOf(presetDays(days))}
                scroll={false}
                aria-current={preset === days ? "true" : undefined}
                className="flex h-10 items-center border-edge px-3.5 whitespace-nowrap text-muted transition not-first:border-l first:rounded-l last:rounded-r hover:text-ink aria-[current]:bg-panel aria-[current]:font-medium aria-[current]:text-ink max-sm:grow max-sm:justify-center"
              >
                {days} days
              </Link>
            ))}
          </nav>
          <FilterChoice
            label="Model"
            all="All models"
            value={address.model}
            choices={models}
            onChange={(model) => go(hrefOf({ model }))}
            className={ofChoice}
          />
          <FilterChoice
            label="Key"
            all="All keys"
            value={address.key}
            choices={keys}
            onChange={(key) => go(hrefOf({ key }))}
            className={ofChoice}
          />
          <DaysForm key={`${fromDay} ${toDay}`} fromDay={fromDay} toDay={toDay} onChange={(from, to) => go(hrefOf(customDays(from, to)))} />
        </>
      )}
    </Filter>
  );
}

interface DaysFormProps {
  fromDay: string;
  toDay: string;
  onChange: (from: string, to: string) => void;
}

/** Custom days. They apply on submit: a date is typed in pieces, and each intermediate text may be a valid date. */
function DaysForm({ fromDay, toDay, onChange }: DaysFormProps) {
  const [from, setFrom] = useState(fromDay);
  const [to, setTo] = useState(toDay);
  const isChanged = (from !== fromDay || to !== toDay) && from !== "" && to !== "";
  const apply = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged) onChange(from, to);
  };
  return (
    <form onSubmit={apply} className="flex flex-wrap items-end gap-3 max-sm:w-full">
      <DayField label="From" value={from} most={to} onChange={setFrom} />
      <DayField label="To (inclusive)" value={to} least={from} onChange={setTo} />
      {isChanged ? (
        <Button type="submit" aria-label="Show these days" className="max-sm:w-full">
          Show
        </Button>
      ) : null}
    </form>
  );
}

interface DayFieldProps {
  label: string;
  value: string;
  least?: string;
  most?: string;
  onChange: (day: string) => void;
}

function DayField({ label, value, least, most, onChange }: DayFieldProps) {
  const id = useId();
  return (
    <div className="grid gap-1 max-sm:flex-1">
      <label htmlFor={id} className="text-xs text-muted">
        {label}
      </label>
      <Input
        id={id}
        type="date"
        min={least}
        max={most}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="sm:w-36"
      />
    </div>
  );
}
