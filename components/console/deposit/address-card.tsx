import { SmartphoneIcon, TriangleAlertIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Amount } from "@/components/ui/text/amount";
import { chainName } from "@/lib/base/chains";
import type { DepositAddress } from "@/lib/console/views/deposit";
import { Button } from "../../ui/button";
import { CopyButton } from "../../ui/copy-button";
import { QrCode, SandboxPlate } from "./qr-code";

interface AddressCardProps extends DepositAddress {
  isSandbox: boolean;
  /** Nano-USD. */
  minimum: bigint;
  /** The faucet's button, in a sandbox. */
  faucet: ReactNode;
  /** Sending from a wallet in this browser. */
  send?: ReactNode;
}

/** One address to send USDC to, as a QR code and as text to copy, with the warnings to read first. */
export function AddressCard({ chain, address, paymentUri, isSandbox, minimum, faucet, send }: AddressCardProps) {
  const name = chainName(chain);
  return (
    <div className="grid gap-6 sm:grid-cols-[208px_minmax(0,1fr)]">
      {isSandbox ? <SandboxPlate /> : <QrCode text={paymentUri ?? address} label={`QR code: pay USDC on ${name} to ${address}`} />}
      <div className="grid content-start gap-4">
        <div>
          <p className="text-xs text-muted">
            Your {name} address{isSandbox ? " in this sandbox" : ""}
          </p>
          <div className="mt-1 flex items-start gap-2">
            <code className="min-w-0 font-mono text-sm leading-6 break-all">{address}</code>
            <CopyButton text={address} label={`Copy the ${name} address`} />
          </div>
        </div>
        {isSandbox ? (
          <>
            <Warning tone="sandbox">
              Never send real money to this address. It exists only in this sandbox: anything sent to it on a real network is lost.
            </Warning>
            <div className="flex flex-wrap gap-3">
              {faucet}
              {send}
            </div>
          </>
        ) : (
          <>
            <Warning tone="plain">Send only USDC, and only on {name}. Other tokens and other networks are not credited.</Warning>
            <div className="flex flex-wrap gap-3">
              {send}
              {paymentUri ? (
                <Button asChild look="quiet">
                  <a href={paymentUri}>
                    <SmartphoneIcon aria-hidden="true" /> Open wallet app
                  </a>
                </Button>
              ) : null}
            </div>
          </>
        )}
        <p className="text-xs text-muted">
          Minimum <Amount nano={minimum} />. Smaller deposits are added up and credited once they reach it.
        </p>
      </div>
    </div>
  );
}

const tones = { plain: "border-edge", sandbox: "border-amber-edge bg-amber-wash text-amber-ink" };

const Warning = ({ tone, children }: { tone: keyof typeof tones; children: ReactNode }) => (
  <p className={`flex items-start gap-2.5 rounded border px-3 py-2.5 text-sm font-medium text-balance ${tones[tone]}`}>
    <TriangleAlertIcon aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
    {children}
  </p>
);
