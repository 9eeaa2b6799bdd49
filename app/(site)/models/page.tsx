import type { Metadata } from "next";
import { ModelsTable } from "@/components/models/models-table";
import { listModelPrices } from "@/lib/console/models";

export const metadata: Metadata = {
  title: "Models and prices",
  description: "Compare models by context window and price, and calculate what your tokens cost.",
};

export default function ModelsPage() {
  return (
    <>
      <h1 className="pt-12 text-xl font-medium tracking-[-0.025em]">Models and prices</h1>
      <p className="mt-2 mb-8 max-w-[60ch] text-muted">
        You pay tokens times price, nothing else. Enter your token counts to see the exact cost with each model.
      </p>
      <ModelsTable rows={listModelPrices()} />
    </>
  );
}
