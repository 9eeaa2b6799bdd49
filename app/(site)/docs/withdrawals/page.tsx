import { readSite, type Site } from "@/app/site";
import { Code } from "@/components/docs/code";
import { DocsArticle, docsMetadata } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section } from "@/components/docs/section";
import { Amount } from "@/components/ui/text/amount";
import { chainRegistry } from "@/lib/base/chains";
import { readWithdrawalTerms, type WithdrawalTerms } from "@/lib/console/withdraw/withdraw";

export const metadata = docsMetadata("/docs/withdrawals");

export default function WithdrawalsPage() {
  const terms = readWithdrawalTerms();
  return (
    <DocsArticle path="/docs/withdrawals">
      {takeOut(readSite())}
      {cost(terms)}
      {limits(terms)}
      {rules(terms)}
      {states}
      {back}
    </DocsArticle>
  );
}

const takeOut = ({ name, isSandbox }: Site) => (
  <Section id="take-out" title="How to withdraw">
    <p>
      Under <DocLink href="/withdraw">Withdraw</DocLink>, choose a chain, one of your linked wallets, and an amount. Then sign a message
      with one of your wallets within 10 minutes, so that a stolen session can’t withdraw. The message is titled “{name} Withdrawal”. Read
      it before you sign. Signing costs no gas.
    </p>
    <p>
      You can only withdraw to linked wallets. The wallet that opened your account can be used right away. Wallets that you link later in{" "}
      <DocLink href="/settings">Settings</DocLink> unlock after 24 hours, so you have a day to notice one that isn’t yours. If you unlink a
      wallet, withdrawals to it or signed by it that have not been sent return to your balance.
    </p>
    {isSandbox ? <p>This is a sandbox: you withdraw test USDC on local chains. The demo wallet signs for you.</p> : null}
  </Section>
);

const cost = ({ fees, least }: WithdrawalTerms) => (
  <Section id="cost" title="Fees">
    <FieldTable
      isPlain
      heading="Network"
      about="Fee"
      rows={{
        Base: <Amount nano={fees.base} />,
        Solana: <Amount nano={fees.solana} />,
        "Solana, first time": (
          <>
            <Amount nano={fees.solanaWithAccount} /> if the wallet has no USDC account yet. We open it for you.
          </>
        ),
      }}
    />
    <p>
      The fee is added to the amount and shown in the message you sign. Minimum: <Amount nano={least} />.
    </p>
  </Section>
);

const limits = ({ mostADay, approvalAbove }: WithdrawalTerms) => (
  <Section id="limits" title="Limits and approval">
    <p>
      You can withdraw up to <Amount nano={mostADay} /> per 24 hours, with at most five withdrawals open at a time. More than{" "}
      <Amount nano={approvalAbove} /> in 24 hours needs manual approval. There is also a 24-hour limit for all accounts together. Once it is
      reached, withdrawals wait and are paid in order; the Withdraw page and <Code>GET /api/v1/balance</Code> show how many are ahead of
      yours.
    </p>
    <p>
      You can spend a deposit as soon as it is credited. You can withdraw it once its block is final: on Base {chainRegistry.base.finalIn}{" "}
      after you sent it, on Solana {chainRegistry.solana.finalIn}.
    </p>
    <p>
      Withdrawals are paid from the USDC we hold on that chain. If it is not enough, the page shows how much you can withdraw there. Choose
      the other chain or a smaller amount.
    </p>
  </Section>
);

const rules = ({ maxDelayHours }: WithdrawalTerms) => (
  <Section id="rules" title="Your own rules">
    <p>
      On the Withdraw page you can set a 24-hour limit, a delay of up to {maxDelayHours} hours before each withdrawal is paid, and which of
      your wallets can receive withdrawals. Stricter rules apply immediately and need no signature; looser rules need the signature of a
      linked wallet and apply after 24 hours. If one of your wallets is stolen, you have a day to notice, tighten the rules again and cancel
      withdrawals. You can cancel with any other wallet, even one that is being unlinked.
    </p>
    <p>
      Each withdrawal and each changed rule is an event. To get notified, add a{" "}
      <DocLink href="/docs/webhooks">webhook or an email address</DocLink> under <DocLink href="/alerts">Alerts</DocLink>. You can cancel a
      withdrawal until it is signed and sent.
    </p>
  </Section>
);

const states = (
  <Section id="states" title="Withdrawal states">
    <FieldTable
      isPlain
      heading="State"
      rows={{
        "waiting for approval": "Waiting for manual approval. You can cancel.",
        requested: "Usually sent within seconds. You can cancel.",
        waiting:
          "The delay you set has not passed, our budget for network fees is used up for now, or the network does not confirm your contract wallet’s signature yet. You can cancel.",
        "waiting for funds": "We are gathering USDC on that chain. Continues automatically. You can cancel.",
        "waiting for the network": "The chain does not respond. Continues automatically. You can cancel.",
        "waiting for its turn": "The service has reached its 24-hour limit. Withdrawals are paid in order. You can cancel.",
        paused:
          "Reserves are too low (see /reserves), signing is paused, or the account is frozen. Continues once that is resolved. You can cancel.",
        stopped: "Your signature is no longer valid. Cancel the withdrawal and request it again.",
        "on its way": "Signed and sent. It can no longer be cancelled.",
        confirmed: "In a block and in your wallet. Not final yet.",
        paid: "Its block is final.",
        "cancelled, refused, not paid": "Ended. The amount and the fee are back in your balance.",
      }}
    />
  </Section>
);

const back = (
  <Section id="back" title="Refunds">
    <p>
      The amount leaves your balance when you request a withdrawal. It is refunded with the fee if you cancel, if we or the chain refuse it,
      or if it is not sent within seven days. If the chain refuses it, the refund on Base can take about 80 minutes, because we first make
      sure that the payment can no longer go through.
    </p>
  </Section>
);
