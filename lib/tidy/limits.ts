// The limits that the project sets itself, each with its reason and the day it was set. A limit is here to make one think: if one is in the
// way, restructure. Raising one is a commit of its own, which changes nothing else and gives the reason.

/** Lines of a code file, 2026-11-20: a file is one noun. biome.json repeats this and the next two for Biome. */
export const MAX_FILE_LINES = 300;

/** Lines of a function, 2026-11-20: as many as fit on a screen. Tests are exempt: Biome cannot tell a group of them from a function. */
export const MAX_FUNCTION_LINES = 60;

/** Lines of a function in a .tsx file, 2026-11-20: markup is long, and read from the top. */
export const MAX_COMPONENT_LINES = 100;

/** Files of a folder, without its subfolders, 2026-11-25: as many as one reads as a list. */
export const MAX_FILES_IN_FOLDER = 25;

/**
 * Modules in which a function runs for one JSON prompt, 2026-11-29: those that a reader opens to follow it, slices and fence among them.
 */
export const MAX_PROMPT_MODULES = 49;

/** Words of a decision, its title included, 2026-11-29: two pages, which one reads before changing what it decides. */
export const MAX_DECISION_WORDS = 700;

/** Questions that lib/README.md answers, 2026-11-25: those of a stranger on the first day. */
export const MIN_MAP_QUESTIONS = 10;

/** JavaScript of a public page, kB with gzip, 2026-11-25: an empty page of Next 16.4.6 with its router (134.9 kB in 5 files), and our own. */
export const MAX_PUBLIC_PAGE_KB = 134 + 45;

/** The same of a page with wallets, 2026-11-25: their libraries are most of it. */
export const MAX_CONSOLE_PAGE_KB = 550;

/** Layout shift of a page, 2026-11-25: half of what Core Web Vitals call good. */
export const MAX_LAYOUT_SHIFT = 0.05;

/** Memory of a process with many 20 MiB uploads at once, MiB, 2026-11-26: the rest that the system and PostgreSQL leave of 1 GiB. */
export const MAX_UPLOADS_RSS_MIB = 600;

/** Memory that streams whose clients stop reading add to a process, MB, 2026-11-21: answers are not collected for them. */
export const MAX_STALLED_STREAMS_RSS_MB = 150;

/** Gas of deploying the settlement contract and of a settlement, 2026-11-21: as lib/decisions/0014-settlement-contract.md documents them. */
export const MAX_SETTLEMENT_GAS = { deploy: 1_300_000n, key: 110_000n, wallet: 115_000n };
