import type { Metadata } from "next";
import { ModelsTable } from "@/components/models/models-table";
import { listModelPrices } from "@/lib/console/models";

export const metadata: Metadata = {
  title: "Models and prices",
  description: "Every model on offer with its context window and its exact price, and what your own number of tokens would cost.",
};

export default function ModelsPage() {
  return (
    <>
      <h1 className="pt-12 text-xl font-medium tracking-[-0.025em]">Models and prices</h1>
      <p className="mt-2 mb-8 max-w-[60ch] text-muted">
        What you pay is tokens times price, and nothing else. Say how many tokens go in and come out: the last column is what that costs,
        exact to the nano-dollar.
      </p>
      <ModelsTable rows={listModelPrices()} />
    </>
  );
}
