import type { Metadata } from "next";
import { readSite } from "@/app/site";
import { DocsFrame } from "@/components/docs/docs-frame";
import { readWithdrawalTerms } from "@/lib/console/withdrawal-terms";
import { CostChapter, LimitsChapter, ReturnChapter, StatesChapter, TakeOutChapter } from "./chapters";

export const metadata: Metadata = {
  title: "Withdrawals",
  description: "How balance becomes USDC again: which wallets are paid, what it costs, what your wallet signs, and how far it is.",
};

const chapters = [
  { id: "take-out", title: "How USDC goes out", Chapter: TakeOutChapter },
  { id: "cost", title: "What it costs", Chapter: CostChapter },
  { id: "limits", title: "Limits and approval", Chapter: LimitsChapter },
  { id: "states", title: "What each state means", Chapter: StatesChapter },
  { id: "back", title: "When it is not paid", Chapter: ReturnChapter },
];

export default function WithdrawalsPage() {
  const [{ name, isSandbox }, terms] = [readSite(), readWithdrawalTerms()];
  return (
    <DocsFrame current="/docs/withdrawals" sections={chapters}>
      <article className="max-w-reading pt-8 lg:pt-12">
        <h1 className="text-xl font-medium tracking-[-0.025em]">Withdrawals</h1>
        <p className="mt-2 text-muted">Balance becomes USDC in a wallet of yours, on Base or Solana.</p>
        {chapters.map(({ id, title, Chapter }) => (
          <Chapter key={id} id={id} title={title} name={name} isSandbox={isSandbox} terms={terms} />
        ))}
      </article>
    </DocsFrame>
  );
}
