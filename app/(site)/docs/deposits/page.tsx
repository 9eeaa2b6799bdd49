import { curlDeposits } from "@/app/examples";
import { readSite, type Site } from "@/app/site";
import { Code } from "@/components/docs/code";
import { DocsArticle, docsMetadata } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { Amount } from "@/components/ui/text/amount";
import { chainRegistry } from "@/lib/base/chains";
import { listPayableTokens, MINIMUM_DEPOSIT } from "@/lib/console/deposit/deposit";

export const metadata = docsMetadata("/docs/deposits");

export default function DepositsPage() {
  const site = readSite();
  return (
    <DocsArticle path="/docs/deposits">
      {payIn(site)}
      {states}
      {time(site)}
      {minimum}
      {notCredited}
      {api(site)}
    </DocsArticle>
  );
}

function payIn(site: Site) {
  const tokens = listPayableTokens();
  return (
    <Section id="pay-in" title="How to deposit">
      <p>
        Your account has its own address on Base and on Solana. Find both under <DocLink href="/deposit">Deposit</DocLink>. They never
        change. Send USDC from any wallet or exchange; no memo is needed.
      </p>
      {site.isSandbox ? (
        <p>
          This is a sandbox with local Base and Solana chains. The faucet on the Deposit page sends test USDC, just like a real deposit.
          Never send real money to a sandbox address.
        </p>
      ) : null}
      {tokens.length > 0 ? (
        <>
          <p>Send only this token on this network:</p>
          <FieldTable
            isPlain
            heading="Network"
            rows={Object.fromEntries(
              tokens.map(({ network, token }) => [
                network,
                <code key={network} className="font-mono break-all">
                  {token}
                </code>,
              ]),
            )}
          />
        </>
      ) : null}
    </Section>
  );
}

const states = (
  <Section id="states" title="Deposit states">
    <FieldTable
      heading="State"
      rows={{
        seen: "In the newest block, with one confirmation.",
        confirming: "Waiting for more blocks. The Deposit page shows how many are needed.",
        credited: "In your balance and ready to spend.",
        below_minimum: "Confirmed, but too small. Credited once the uncredited deposits at this address add up to the minimum.",
        reversed:
          "The chain dropped its block. If it was credited, it was removed from your balance. It is credited again automatically if the transaction lands in another block.",
      }}
    />
    <p>
      On Base, a credited deposit becomes final some minutes later; on Solana, it is final when it is credited. A final deposit can’t be
      reversed, and you can withdraw it. If a deposit is reversed after you spent it, the account is frozen until we review it. This only
      happens if the chain itself fails.
    </p>
  </Section>
);

const time = (site: Site) => (
  <Section id="time" title="How long it takes">
    <FieldTable
      isPlain
      heading="Network"
      rows={{
        Base: `Detected within seconds. Credited after ${chainRegistry.base.creditedIn}, when Base has posted the block to Ethereum. Final after ${chainRegistry.base.finalIn}.`,
        Solana: `Detected within seconds. Credited and final after ${chainRegistry.solana.finalIn}, when the slot is finalized.`,
      }}
    />
    <p>
      Times vary with the chain, and so does the number of confirmations.{" "}
      {site.isSandbox ? "In the sandbox, both take a few seconds." : null}
    </p>
    <p>If our nodes disagree or don’t respond, deposits wait and are credited once the state of the chain is clear.</p>
  </Section>
);

const minimum = (
  <Section id="minimum" title="Minimum">
    <p>
      The minimum deposit is <Amount nano={MINIMUM_DEPOSIT} />. Smaller deposits are kept and credited once the uncredited deposits at the
      same address add up to <Amount nano={MINIMUM_DEPOSIT} />. Base and Solana are counted separately. Nothing is rounded:{" "}
      <Code>1.000001</Code> USDC is credited as <Code>$1.000001</Code>, and there is no fee.
    </p>
  </Section>
);

const notCredited = (
  <Section id="not-credited" title="What is not credited">
    <FieldTable
      isPlain
      heading="Sent"
      rows={{
        "another network": "USDC on Ethereum, Arbitrum, Polygon or any other network, even if the address looks the same there.",
        "another token": "ETH, SOL, USDT, and any token that is not Circle’s USDC, even if it uses that name.",
        "bridged USDC": "USDbC on Base, and any other bridged version of USDC.",
      }}
    />
    <p>
      These are not returned automatically. Contact support with the transaction: we hold the keys of your deposit addresses and may be able
      to return the tokens.
    </p>
  </Section>
);

const api = (site: Site) => (
  <Section id="api" title="Track deposits by API">
    <CodeBlock title="curl, deposits" copy={curlDeposits(site)} />
    <p>
      Each row has its <Code>state</Code>, <Code>amount</Code>, <Code>transaction</Code>, and <Code>confirmations</Code> of{" "}
      <Code>neededConfirmations</Code>; see the <DocLink href="/docs/api/listDeposits">API reference</DocLink> for all fields. Your
      addresses are in <Code>wallet</Code> of <DocLink href="/docs/api/getBalance">the balance</DocLink>. To wait for a deposit, poll{" "}
      <Code>available</Code> there, or use a <DocLink href="/docs/webhooks">webhook</DocLink>.
    </p>
  </Section>
);
