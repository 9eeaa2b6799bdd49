import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section } from "@/components/docs/section";
import { Amount } from "@/components/ui/text/amount";
import type { WithdrawalTerms } from "@/lib/console/withdraw/withdrawal-terms";

interface ChapterProps {
  id: string;
  title: string;
  /** The service's name. */
  name: string;
  isSandbox: boolean;
  terms: WithdrawalTerms;
}

export const TakeOutChapter = ({ id, title, name, isSandbox }: ChapterProps) => (
  <Section id={id} title={title}>
    <p>
      Under <DocLink href="/withdraw">Withdraw</DocLink> you choose a chain, one of your linked wallets, and what is to arrive. One of your
      wallets then signs a text that says all of it: a stolen session is not enough. The text is headed “{name} Withdrawal”. Read it in your
      wallet before you sign; it costs no gas.
    </p>
    <p>
      Money goes to linked wallets only. The wallet that opened your account is paid at once. One that you link in the{" "}
      <DocLink href="/settings">settings</DocLink> is paid 24 hours later, so that you have a day to notice one that is not yours. Unlink a
      wallet, and what is not yet on its way to it, or was signed by it, comes back to your balance.
    </p>
    {isSandbox ? <p>This is a sandbox: what goes out is test USDC, on chains inside this machine. The demo wallet signs for you.</p> : null}
  </Section>
);

export const CostChapter = ({ id, title, terms: { fees, least } }: ChapterProps) => (
  <Section id={id} title={title}>
    <FieldTable
      heading="To"
      rows={[
        { name: "Base", about: <Amount nano={fees.base} /> },
        { name: "Solana", about: <Amount nano={fees.solana} /> },
        {
          name: "Solana, first time",
          about: (
            <>
              <Amount nano={fees.solanaWithAccount} />, for a wallet that has no account for USDC yet: it is opened for you.
            </>
          ),
        },
      ]}
    />
    <p>
      The fee comes on top of what arrives, and stands in the text that you sign. The least that can arrive is <Amount nano={least} />.
    </p>
  </Section>
);

export const LimitsChapter = ({ id, title, terms: { mostADay, approvalAbove } }: ChapterProps) => (
  <Section id={id} title={title}>
    <p>
      In any 24 hours an account may take out <Amount nano={mostADay} />, in at most five withdrawals at a time. What comes to more than{" "}
      <Amount nano={approvalAbove} /> in 24 hours waits until whoever runs this service has approved it. All accounts together have a limit
      too; the page tells you when it is near.
    </p>
    <p>
      A deposit can be spent as soon as it is credited. It can be taken out once its block is final: about a quarter of an hour later on
      Base, at once on Solana.
    </p>
    <p>
      A withdrawal is paid out of what is held on its own chain. When that is less than you ask for, the page says how much can leave there,
      and you choose the other chain or a smaller amount.
    </p>
  </Section>
);

export const StatesChapter = ({ id, title }: ChapterProps) => (
  <Section id={id} title={title}>
    <FieldTable
      heading="State"
      rows={[
        { name: "waiting for approval", about: "Whoever runs this service looks at it. You can cancel." },
        { name: "requested", about: "It is signed within seconds. You can cancel." },
        { name: "waiting for funds", about: "USDC is brought to that chain first. It goes on by itself. You can cancel." },
        {
          name: "paused",
          about: "Less is held than is owed, as /reserves shows, or the account is frozen. It goes on by itself. You can cancel.",
        },
        { name: "on its way", about: "Signed and sent: nobody can stop it any more." },
        { name: "confirmed", about: "In a block: it is in your wallet. Not final yet." },
        { name: "paid", about: "Its block is final." },
        { name: "cancelled, refused, not paid", about: "Over, and all of it, the fee too, is back in your balance." },
      ]}
    />
  </Section>
);

export const ReturnChapter = ({ id, title }: ChapterProps) => (
  <Section id={id} title={title}>
    <p>
      The money leaves your balance when you order, and comes back, fee included, when the withdrawal is not paid: because you cancel,
      because it is refused, because the chain refuses it, or because seven days have passed. After a chain has refused a payment it takes
      up to an hour and a quarter: we wait until it is certain that nobody can carry it out any more.
    </p>
  </Section>
);
