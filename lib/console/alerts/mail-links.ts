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
    text: `Alerts of ${config().SERVICE_NAME} will be sent to ${address}. Every mail has a link that stops them.`,
    action: "Confirm address",
  }),
  done: (address) => ({ title: "Address confirmed", text: `${address} gets alerts.` }),
  late: () => ({ title: "This link has expired", text: "It was good for 24 hours. The account that asked can send another from Alerts." }),
  off: (address) => ({ title: "This address is switched off", text: `${address} gets no alerts. Its account can change that on Alerts.` }),
  unknown: () => ({
    title: "This link does not work",
    text: "It was replaced, or the account deleted the address. Open the newest mail, or send another from Alerts.",
  }),
};

export const readUnsubscribePage = async (token: string): Promise<MailPage> => viewUnsubscribe(await readUnsubscribeLink(token));

export const unsubscribeByLink = async (token: string): Promise<MailPage> => viewUnsubscribe(await unsubscribe(token));

function viewUnsubscribe({ state, address }: UnsubscribeLink): MailPage {
  const { title, text, action = null } = unsubscribeTexts[state](address ?? "This address");
  return { title, text, action };
}

const unsubscribeTexts: Texts<UnsubscribeLink["state"]> = {
  on: (address) => ({ title: "Stop these e-mails?", text: `Then nothing more is sent to ${address}.`, action: "Stop e-mails" }),
  off: (address) => ({ title: "No more e-mails", text: `Nothing more is sent to ${address}, unless it is confirmed anew.` }),
  unknown: () => ({ title: "This link does not work", text: "The account deleted this address. Nothing is sent from there any more." }),
};

const MAX_BODY_BYTES = 1_024;

/** A mail program's own button (RFC 8058): it posts this one field, as a form of either kind, and has no cookies. */
export async function answerOneClick(request: Request, token: string): Promise<Response> {
  const body = await readBodyText(request, MAX_BODY_BYTES);
  if (!body || !/List-Unsubscribe(=|"(\r?\n){2})One-Click/.test(body))
    return answer(400, "Post the form field List-Unsubscribe=One-Click.");
  const { state } = await unsubscribe(token);
  return state === "off" ? answer(200, "No more e-mails are sent.") : answer(404, "This link does not work, or its address was deleted.");
}

const answer = (status: number, message: string): Response =>
  Response.json({ message }, { status, headers: { "cache-control": "no-store" } });
