// A megabyte of body may hold half a million faults, which take seconds to list; and zod passes them on as call arguments, whose number is
// limited. A faulty list or record in a long body, wherever it stands, is cut after its first faults before the body is parsed.

import { z } from "zod";
import { runAtOnce, type Slices } from "@/lib/base/slices";
import { isRecord } from "@/lib/providers/wire-value";
import { type GatewayRequest, reportFaults } from "./request";

const MAX_FAULTS = 20;
/** Shorter bodies hold a few thousand faults at most. */
const MAX_CHARACTERS_UNCUT = 16_384;
/** The faults of so few entries need no cut. */
const MAX_ENTRIES_UNCUT = 64;

export const isLong = ({ bodyText, largeBody }: Pick<GatewayRequest, "bodyText" | "largeBody">): boolean =>
  largeBody !== undefined || bodyText.length > MAX_CHARACTERS_UNCUT;

/** Parses a long body as `parseGiven` does, with few faults and in slices. */
export function* parseLong<Schema extends z.ZodType>(schema: Schema, given: unknown): Slices<z.ZodSafeParseResult<z.output<Schema>>> {
  const shown = yield* withFewFaults(schema, given);
  yield;
  const parsed = schema.safeParse(shown);
  yield;
  return parsed.success ? parsed : reportFaults(schema, shown);
}

/** The value with each list, record and set of unknown names in it up to its last fault that is worth listing; as it is without any. */
export function* withFewFaults(schema: z.core.$ZodType, value: unknown): Slices<unknown> {
  if (!isObject(value)) return value;
  let shown: object = value;
  for (const part of partsOf(schema, value)) {
    if (part instanceof z.ZodArray && Array.isArray(shown)) shown = yield* cutList(part, shown);
    else if (part instanceof z.ZodObject && isRecord(shown)) shown = yield* cutFields(part, shown);
    else if (part instanceof z.ZodRecord && isRecord(shown)) shown = yield* cutRecord(part, shown);
  }
  return shown;
}

/** The same at once, for one item of a body. */
export const itemWithFewFaults = (schema: z.core.$ZodType, item: unknown): unknown =>
  isObject(item) && !isPlain(item) ? runAtOnce(withFewFaults(schema, item)) : item;

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** How deep an entry of a list is looked through: a message's content, and its parts. */
const PLAIN_LEVELS = 2;

/** True for most messages: a few entries, and a few in each of them, need no cut whatever they are. */
function isPlain(value: object, levels = PLAIN_LEVELS): boolean {
  const isPlainEntry = (entry: unknown): boolean => !isObject(entry) || (levels > 0 && isPlain(entry, levels - 1));
  if (Array.isArray(value)) return value.length <= MAX_ENTRIES_UNCUT && value.every(isPlainEntry);
  const fields = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(fields);
  return names.length <= MAX_ENTRIES_UNCUT && names.every((name) => isPlainEntry(fields[name]));
}

/**
 * The lists, objects and records in a schema that a value is meant for. Of a union's options, objects that have its literals, and a list if
 * there is one only: a list that another option takes must not be cut.
 */
function partsOf(schema: z.core.$ZodType, value: object): z.core.$ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return partsOf(schema.unwrap(), value);
  if (!(schema instanceof z.ZodUnion)) return [schema];
  const parts = schema.options.filter((option) => hasLiterals(option, value)).flatMap((option) => partsOf(option, value));
  const isOneList = parts.filter((part) => part instanceof z.ZodArray).length <= 1;
  return isOneList ? parts : parts.filter((part) => !(part instanceof z.ZodArray));
}

function hasLiterals({ _zod: { propValues } }: z.core.$ZodType, value: object): boolean {
  const fieldOf = (name: string): unknown => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined);
  return Object.entries(propValues ?? {}).every(([name, literals]) => literals.has(fieldOf(name) as string));
}

function* cutList({ element, def }: z.ZodArray, list: readonly unknown[]): Slices<readonly unknown[]> {
  const isTooLong = def.checks?.some((check) => check instanceof z.core.$ZodCheckMaxLength && list.length > check._zod.def.maximum);
  // A list that is too long is refused by its length, without a look at its entries.
  if (isUnchecked(element) || isTooLong) return list;
  const isShort = list.length <= MAX_ENTRIES_UNCUT;
  const shown: unknown[] = [];
  let [faults, isChanged] = [0, false];
  for (const [at, given] of list.entries()) {
    if (at % 32 === 31) yield;
    const inner = isObject(given) && !isPlain(given) ? yield* withFewFaults(element, given) : given;
    shown.push(inner);
    isChanged ||= inner !== given;
    if (isShort || isValid(element, inner)) continue;
    faults += 1;
    if (faults === MAX_FAULTS) return shown;
  }
  return isChanged ? shown : list;
}

/** Names that a strict object does not know are faults, too: the first of them are kept. */
function* cutFields(schema: z.ZodObject, fields: Readonly<Record<string, unknown>>): Slices<Readonly<Record<string, unknown>>> {
  const { shape } = schema;
  const changed: [string, unknown][] = [];
  for (const [name, field] of Object.entries<z.core.$ZodType>(shape)) {
    const given = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const shown = isObject(given) ? yield* withFewFaults(field, given) : given;
    if (shown !== given) changed.push([name, shown]);
  }
  const kept = schema.def.catchall instanceof z.ZodNever ? withFewNames(shape, fields) : fields;
  return changed.length === 0 ? kept : { ...kept, ...Object.fromEntries(changed) };
}

function withFewNames(shape: object, fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const names = Object.keys(fields);
  if (names.length <= MAX_ENTRIES_UNCUT) return fields;
  const known = names.filter((name) => Object.hasOwn(shape, name));
  const unknown = names.filter((name) => !Object.hasOwn(shape, name)).slice(0, MAX_FAULTS);
  return Object.fromEntries([...known, ...unknown].map((name) => [name, fields[name]]));
}

function* cutRecord(
  { keyType, valueType }: z.ZodRecord,
  entries: Readonly<Record<string, unknown>>,
): Slices<Readonly<Record<string, unknown>>> {
  const names = Object.keys(entries);
  if (names.length <= MAX_ENTRIES_UNCUT || isUnchecked(valueType)) return entries;
  let faults = 0;
  for (const [at, name] of names.entries()) {
    if (at % 32 === 31) yield;
    if (isValid(keyType, name) && isValid(valueType, entries[name])) continue;
    faults += 1;
    if (faults === MAX_FAULTS) return Object.fromEntries(names.slice(0, at + 1).map((kept) => [kept, entries[kept]]));
  }
  return entries;
}

const isUnchecked = (schema: z.core.$ZodType): boolean => schema instanceof z.ZodUnknown;

const isValid = (schema: z.core.$ZodType, value: unknown): boolean => isUnchecked(schema) || z.validate(schema, value);
