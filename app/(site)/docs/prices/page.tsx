import { Code } from "@/components/docs/code";
import { DocsArticle, docsMetadata } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section } from "@/components/docs/section";
import { PriceList } from "@/components/models/price-list";
import { Amount } from "@/components/ui/text/amount";
import { config } from "@/lib/base/config";
import { fromCents } from "@/lib/base/money";
import { MINIMUM_DEPOSIT } from "@/lib/console/deposit/deposit";
import { listModelPrices } from "@/lib/console/models";
import { pricePolicyText, readPricePolicy } from "@/lib/console/price-policy";
import { readWithdrawalTerms } from "@/lib/console/withdraw/withdraw";
import { leastPrice } from "@/lib/gateway/x402/price";

export const metadata = docsMetadata("/docs/prices");

export default function PricesDocsPage() {
  return (
    <DocsArticle path="/docs/prices">
      {models()}
      {charged}
      {fees()}
      {free}
    </DocsArticle>
  );
}

function models() {
  const prices = listModelPrices();
  const policy = readPricePolicy();
  const own = prices.filter(({ id }) => policy.ownPrices.includes(id));
  return (
    <Section id="models" title="Models">
      <p>
        {pricePolicyText(policy, prices.length)} There is no subscription and no minimum spend.{" "}
        <DocLink href="/models">Models and prices</DocLink> lists every model;{" "}
        <DocLink href="/docs/api/listModels">GET /api/v1/models</DocLink> returns the same list.
      </p>
      <p>
        The margin applies to every kind of token that the provider prices: input, cached input, cache writes, images, output and reasoning,
        and to higher prices for long prompts. If a model has several providers, the highest of their prices counts. The price per token is
        rounded up to a billionth of a dollar.
      </p>
      {own.length > 0 && own.length < prices.length ? (
        <>
          <p>Models with a fixed price, in USD per 1M tokens:</p>
          <PriceList rows={own} />
        </>
      ) : null}
    </Section>
  );
}

const charged = (
  <Section id="charged" title="What a request costs">
    <p>
      Tokens times price, nothing else. The provider counts the tokens, and the price is the one in force when your request arrived. The
      cost is exact to a billionth of a dollar and is never rounded. Responses include it (chat streams with{" "}
      <Code>stream_options.include_usage</Code>), and <DocLink href="/docs/api/getReceipt">the receipt</DocLink> shows how it was
      calculated.
    </p>
    <p>
      Set <Code>maxCost</Code> to limit a request, or <DocLink href="/docs/api/quotePrompt">get a quote</DocLink> first. Requests that fail
      before anything is delivered are not charged; see <DocLink href="/docs/balance#free">what is never charged</DocLink>.
    </p>
  </Section>
);

function fees() {
  const { fees: withdrawal, least } = readWithdrawalTerms();
  const leastPayment = leastPrice();
  return (
    <Section id="fees" title="Deposits and withdrawals">
      <FieldTable
        isPlain
        heading="What"
        about="Fee and minimum"
        rows={{
          Deposit: (
            <>
              No fee. Minimum <Amount nano={MINIMUM_DEPOSIT} />.
            </>
          ),
          "Withdrawal on Base": (
            <>
              <Amount nano={withdrawal.base} />. Minimum <Amount nano={least} />.
            </>
          ),
          "Withdrawal on Solana": (
            <>
              <Amount nano={withdrawal.solana} />, or <Amount nano={withdrawal.solanaWithAccount} /> if the wallet has no USDC account yet.
              Minimum <Amount nano={least} />.
            </>
          ),
          "Pay per request": (
            <>
              No fee. Minimum <Amount nano={fromCents(config().PAYMENT_MINIMUM_CENTS)} />, in whole cents; the change stays yours. We pay
              the gas of each payment; your wallet pays for approving the contract once.
            </>
          ),
          x402:
            leastPayment > 0n ? (
              <>
                No fee. Minimum <Amount nano={leastPayment} /> per payment; the change becomes a credit. We pay the network fee.
              </>
            ) : (
              "No fee. The change becomes a credit. We pay the network fee."
            ),
        }}
      />
      <p>To send a deposit, your wallet pays the network’s fee. 1 USDC is always $1.00 here: we never convert, and there is no spread.</p>
    </Section>
  );
}

const free = (
  <Section id="free" title="What is free">
    <p>
      Accounts, keys, quotes, token counts, webhooks and all read requests are free. Your balance does not expire, and you can{" "}
      <DocLink href="/docs/withdrawals">withdraw</DocLink> it.
    </p>
  </Section>
);
