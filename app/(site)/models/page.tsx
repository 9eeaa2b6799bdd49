import type { Metadata } from "next";
import Link from "next/link";
import { ModelsTable } from "@/components/models/models-table";
import { Amount } from "@/components/ui/text/amount";
import { now } from "@/lib/base/clock";
import { MINIMUM_DEPOSIT } from "@/lib/console/deposit/deposit";
import { listModelPrices } from "@/lib/console/models";
import { pricePolicyText, readPricePolicy } from "@/lib/console/price-policy";

export const metadata: Metadata = {
  title: "Models and prices",
  description: "Compare models by context window and price, and calculate what your tokens cost.",
};

export default function ModelsPage() {
  const models = listModelPrices();
  return (
    <>
      <h1 className="pt-12 text-xl font-medium tracking-[-0.025em]">Models and prices</h1>
      <p className="mt-2 max-w-[72ch] text-muted">
        {pricePolicyText(readPricePolicy(), models.length)} Deposits are free, from <Amount nano={MINIMUM_DEPOSIT} />.{" "}
        <Link href="/docs/prices" className="text-copper-ink underline decoration-copper/40 underline-offset-4 hover:decoration-copper">
          All prices and fees
        </Link>
      </p>
      <p className="mt-2 mb-8 max-w-[72ch] text-muted">Enter your token counts to see the exact cost with each model.</p>
      <ModelsTable rows={models} today={now().toISOString().slice(0, 10)} />
    </>
  );
}
