import type { Metadata } from "next";
import { readSite } from "@/app/site";
import { ActionLink } from "@/components/ui/action-link";
import { Notice } from "@/components/ui/notice";

export const metadata: Metadata = { title: "Deposit" };

export default function DepositPage() {
  const { isSandbox } = readSite();
  return (
    <Notice code="USDC" title={isSandbox ? "A sandbox takes no deposits" : "Deposits are not open here yet"}>
      {isSandbox ? (
        <p>
          Its money is simulated. For another 25 USD that are worth nothing, start with an empty data directory: DATA_DIR=.data2 npm start
        </p>
      ) : (
        <p>Nothing was charged. Ask whoever runs this service to credit your account, or lower maxTokens to affordableMaxTokens.</p>
      )}
      <div className="mt-6 flex flex-wrap gap-3">
        <ActionLink primary href="/docs/errors/INSUFFICIENT_BALANCE">
          Read what the error says
        </ActionLink>
        <ActionLink href="/models">Compare prices</ActionLink>
      </div>
    </Notice>
  );
}
