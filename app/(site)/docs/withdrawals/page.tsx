import type { Metadata } from "next";
import { readSite } from "@/app/site";
import { DocsArticle } from "@/components/docs/docs-frame";
import { readWithdrawalTerms } from "@/lib/console/withdraw/withdrawal-terms";
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
    <DocsArticle
      current="/docs/withdrawals"
      title="Withdrawals"
      intro="Balance becomes USDC in a wallet of yours, on Base or Solana."
      sections={chapters}
    >
      {chapters.map(({ id, title, Chapter }) => (
        <Chapter key={id} id={id} title={title} name={name} isSandbox={isSandbox} terms={terms} />
      ))}
    </DocsArticle>
  );
}
