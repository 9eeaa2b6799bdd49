// "Only to these wallets" promises: what was unlinked can be taken out, what leaves is not offered, and each box has a name of its own.

import { createElement } from "react";
import { expect, test } from "vitest";
import type { OwnWallet } from "@/lib/console/views/settings";
import type { NamedWallet } from "@/lib/console/views/wallet";
import { drawPage } from "../../ui/testing/app-router";
import { AllowedWallets } from "./allowed-wallets";

const day = new Date(Date.UTC(2026, 10, 26));
const evm: NamedWallet = { chain: "evm", address: `0x1111${"0".repeat(32)}aaaa` };
const other: NamedWallet = { chain: "evm", address: `0x2222${"0".repeat(32)}bbbb` };
const solana: NamedWallet = { chain: "solana", address: "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk" };

const linked = (wallet: NamedWallet, leavesAt: Date | null = null): OwnWallet => ({
  ...wallet,
  leavesAt,
  linkedAt: day,
  isFirst: true,
  isCurrent: true,
});

function draw(wallets: OwnWallet[], stored: NamedWallet[], { chosen = stored, error = null as string | null } = {}): string {
  return drawPage(
    createElement(AllowedWallets, {
      wallets,
      stored,
      chosen,
      error,
      disabled: false,
      onChange: () => undefined,
    }),
  );
}

/** The text and the state of each box. */
const boxesOf = (html: string) =>
  [...html.matchAll(/<label.*?<\/label>/g)].map(([label]) => [
    label
      .replace(/<[^>]*>/g, " ")
      .replace(/\s+/g, " ")
      .trim(),
    label.includes('checked=""'),
  ]);

test("a stored wallet that is no longer linked, or leaves, is a box that can be emptied; one that leaves is not offered anew", () => {
  const html = draw([linked(solana), linked(other, day)], [evm]);
  expect(boxesOf(html)).toEqual([
    ["Solana HAgk14…Kpqk", false],
    ["Ethereum 0x1111…aaaa no longer linked", true],
  ]);
  expect(boxesOf(draw([linked(solana), linked(other, day)], [other]))[1]).toEqual(["Ethereum 0x2222…bbbb being unlinked", true]);
  // Emptied, it stays until the rules are saved: it was a slip, perhaps.
  expect(boxesOf(draw([linked(solana)], [evm], { chosen: [solana] }))).toEqual([
    ["Solana HAgk14…Kpqk", true],
    ["Ethereum 0x1111…aaaa no longer linked", false],
  ]);
});

test("rules without a linked wallet say that nothing can be paid", () => {
  const nothing = "so nothing can be withdrawn";
  expect(draw([linked(solana)], [evm])).toContain(nothing);
  expect(draw([linked(solana), linked(evm, day)], [evm])).toContain(nothing);
  expect(draw([linked(solana)], [evm], { chosen: [evm, solana] })).toContain("Withdrawals can go to the selected wallets only.");
  expect(draw([linked(solana)], [evm], { chosen: [] })).toContain("withdrawals can go to any linked wallet");
});

test("a box's label holds no button, and a refusal is read with the group", () => {
  const html = draw([linked(solana)], [], { error: "That wallet is not linked to this account." });
  expect(html).toContain('aria-label="Copy the address"');
  for (const [label] of html.matchAll(/<label.*?<\/label>/g)) expect(label).not.toContain("<button");
  const [, ids = ""] = /<fieldset[^>]* aria-describedby="([^"]*)"/.exec(html) ?? [];
  const texts = ids.split(" ").map((id) => html.split(`id="${id}"`)[1]?.split("</p>")[0]);
  expect(texts[0]).toContain("None selected");
  expect(texts[1]).toContain("That wallet is not linked to this account.");
});
