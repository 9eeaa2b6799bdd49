// `npm run catalogue -- check FILE`: compares what the catalogue says of the providers' prices with a public list, kind by kind.

import { readFileSync } from "node:fs";
import { config } from "@/lib/base/config";
import { formatUsd } from "@/lib/base/money";
import { readCatalogueModels } from "@/lib/providers/catalogue";
import { comparePrices, type PriceDifference, readPublicPrices } from "@/lib/providers/catalogue-data/public-prices";

const USAGE = `Usage: npm run catalogue -- check FILE
FILE is LiteLLM's model_prices_and_context_window.json, or genai-prices' data.json.
`;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Exit code 0 when nothing is sold below the list, 1 when something is or the list could not be read, 2 for a wrong call. */
export async function main(): Promise<void> {
  const [command, file, ...others] = process.argv.slice(2);
  if (command !== "check" || !file || others.length > 0) {
    process.stderr.write(USAGE);
    process.exitCode = 2;
    return;
  }
  try {
    check(file);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

function check(file: string): void {
  const models = readCatalogueModels(config());
  const { differences, unknown } = comparePrices(models, readPublicPrices(readFileSync(file, "utf8")));
  for (const difference of differences) say(differenceLine(difference));
  const losses = differences.filter(({ isLoss }) => isLoss).length;
  say(
    `${models.length - unknown.length} of ${models.length} models are in the list; ${differences.length} prices differ, ${losses} of them would be sold below the list's.`,
  );
  if (unknown.length > 0) say(`Not in the list: ${unknown.join(", ")}`);
  if (losses > 0) process.exitCode = 1;
}

const differenceLine = ({ model, kind, ours, theirs, isLoss }: PriceDifference): string =>
  `${model.padEnd(24)} ${kind.padEnd(15)} ours ${perMillion(ours)}  theirs ${perMillion(theirs)}${isLoss ? "  BELOW THE LIST" : ""}`;

/** USD per million tokens, of nano-USD per token. */
const perMillion = (nanoUsd: number): string => formatUsd(BigInt(Math.round(nanoUsd * 1_000_000)));
