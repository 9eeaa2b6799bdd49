import type { Metadata } from "next";
import { readSite } from "@/app/site";
import { DocsArticle } from "@/components/docs/docs-frame";
import { readWithdrawalTerms } from "@/lib/console/withdraw/withdrawal-terms";
import { CostChapter, LimitsChapter, ReturnChapter, RulesChapter, StatesChapter, TakeOutChapter } from "./chapters";

export const metadata: Metadata = {
  title: "Withdrawals",
  description: "Withdraw USDC to your wallet: fees, limits, what you sign, and withdrawal states.",
};

const chapters = [
  { id: "take-out", title: "How to withdraw", Chapter: TakeOutChapter },
  { id: "cost", title: "Fees", Chapter: CostChapter },
  { id: "limits", title: "Limits and approval", Chapter: LimitsChapter },
  { id: "rules", title: "Your own rules", Chapter: RulesChapter },
  { id: "states", title: "Withdrawal states", Chapter: StatesChapter },
  { id: "back", title: "Refunds", Chapter: ReturnChapter },
];

export default function WithdrawalsPage() {
  const [{ name, isSandbox }, terms] = [readSite(), readWithdrawalTerms()];
  return (
    <DocsArticle
      current="/docs/withdrawals"
      title="Withdrawals"
      intro="Withdraw your balance as USDC on Base or Solana."
      sections={chapters}
    >
      {chapters.map(({ id, title, Chapter }) => (
        <Chapter key={id} id={id} title={title} name={name} isSandbox={isSandbox} terms={terms} />
      ))}
    </DocsArticle>
  );
}
