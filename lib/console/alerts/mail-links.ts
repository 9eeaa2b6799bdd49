// The pages and the endpoint to which the links of our mails lead. Nobody has to be signed in: the link says whose address it is. A GET
// changes nothing, since mail scanners open every link.

import { config } from "@/lib/base/config";
import { type ConfirmLink, confirmAddress, readConfirmLink } from "@/lib/events/mail/confirmations";
import { readUnsubscribeLink, type UnsubscribeLink, unsubscribe } from "@/lib/events/mail/unsubscribe";
import { readBodyText } from "../request-body";
import type { MailPage } from "../views/alerts";

export const readConfirmPage = async (token: string): Promise<MailPage> => viewConfirm(await readConfirmLink(token));

export const confirmByLink = async (token: string): Promise<MailPage> => viewConfirm(await confirmAddress(token));

function viewConfirm({ state, address }: ConfirmLink): MailPage {
  const { title, text, action = null } = confirmTexts[state](address ?? "This address");
  return { title, text, action };
}

type Texts<State extends string> = Readonly<Record<State, (address: string) => { title: string; text: string; action?: string }>>;

const confirmTexts: Texts<ConfirmLink["state"]> = {
  open: (address) => ({
    title: "Confirm your address",
    text: `${config().SERVICE_NAME} will send alerts to ${address}. Every email has an unsubscribe link.`,
    action: "Confirm address",
  }),
  done: (address) => ({ title: "Address confirmed", text: `${address} now receives alerts.` }),
  late: () => ({ title: "This link has expired", text: "Confirmation links expire after 24 hours. Request a new one on the Alerts page." }),
  off: (address) => ({
    title: "Alerts to this address are off",
    text: `${address} receives no alerts. The account can turn them on again on the Alerts page.`,
  }),
  unknown: () => ({
    title: "This link does not work",
    text: "It is incomplete, was replaced by a newer one, or the address was removed from the account. Open the newest email, or request a new one on the Alerts page.",
  }),
};

export const readUnsubscribePage = async (token: string): Promise<MailPage> => viewUnsubscribe(await readUnsubscribeLink(token));

export const unsubscribeByLink = async (token: string): Promise<MailPage> => viewUnsubscribe(await unsubscribe(token));

function viewUnsubscribe({ state, address }: UnsubscribeLink): MailPage {
  const { title, text, action = null } = unsubscribeTexts[state](address ?? "This address");
  return { title, text, action };
}

const unsubscribeTexts: Texts<UnsubscribeLink["state"]> = {
  on: (address) => ({ title: "Unsubscribe?", text: `We will stop sending this account’s emails to ${address}.`, action: "Unsubscribe" }),
  off: (address) => ({
    title: "You are unsubscribed",
    text: `We no longer send this account’s emails to ${address}, unless it is confirmed again.`,
  }),
  unknown: () => ({
    title: "This link does not work",
    text: "It is incomplete, or the address was removed from the account, which then sends it nothing. Open the link in the newest email.",
  }),
};

const MAX_BODY_BYTES = 1_024;

/** A mail program's own button (RFC 8058): it posts this one field, as a form of either kind, and has no cookies. */
export async function answerOneClick(request: Request, token: string): Promise<Response> {
  const body = await readBodyText(request, MAX_BODY_BYTES);
  if (!body || !/List-Unsubscribe(=|"(\r?\n){2})One-Click/.test(body))
    return answer(400, "Post the form field List-Unsubscribe=One-Click.");
  const { state } = await unsubscribe(token);
  return state === "off" ? answer(200, "You are unsubscribed.") : answer(404, "This link does not work, or its address was removed.");
}

const answer = (status: number, message: string): Response =>
  Response.json({ message }, { status, headers: { "cache-control": "no-store" } });
