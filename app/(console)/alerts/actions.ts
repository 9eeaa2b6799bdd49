"use server";

// The server actions of the alerts page. Each checks the page's session, validates its input, and answers with a message.

import { revalidatePath } from "next/cache";
import {
  deliveryForm,
  endpointForm,
  endpointNameForm,
  endpointTypesForm,
  lowBalanceForm,
  newEndpointForm,
  resendFailedForm,
  sampleForm,
} from "@/lib/console/alerts/alerts-form";
import {
  addOwnEndpoint,
  deleteOwnEndpoint,
  renameOwnEndpoint,
  renewOwnSecret,
  requestOwnConfirmation,
  resendOwnDelivery,
  resendOwnFailed,
  sendOwnSample,
  setOwnEndpointTypes,
  setOwnLowBalance,
  switchOwnEndpoint,
} from "@/lib/console/alerts/own-endpoints";
import type { Answer } from "@/lib/console/views/answer";
import { readWish } from "../owner-actions";

export async function setLowBalance(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, lowBalanceForm, input);
  return wish.ok ? showAlerts(await setOwnLowBalance(wish.owner, wish.form.amount)) : wish;
}

/** The secret of a webhook, shown this once. The page re-renders only after the person has stored it. */
export async function addEndpoint(sessionId: unknown, input: unknown): Promise<Answer<{ secret: string | null }>> {
  const wish = await readWish(sessionId, newEndpointForm, input);
  return wish.ok ? addOwnEndpoint(wish.owner, wish.form) : wish;
}

/** As above. */
export async function renewSecret(sessionId: unknown, input: unknown): Promise<Answer<{ secret: string }>> {
  const wish = await readWish(sessionId, endpointForm, input);
  return wish.ok ? renewOwnSecret(wish.owner, wish.form.endpointId) : wish;
}

export async function requestConfirmation(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, endpointForm, input);
  return wish.ok ? showAlerts(await requestOwnConfirmation(wish.owner, wish.form.endpointId)) : wish;
}

export async function chooseEvents(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, endpointTypesForm, input);
  return wish.ok ? showAlerts(await setOwnEndpointTypes(wish.owner, wish.form)) : wish;
}

export async function renameEndpoint(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, endpointNameForm, input);
  return wish.ok ? showAlerts(await renameOwnEndpoint(wish.owner, wish.form)) : wish;
}

export async function switchOn(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, endpointForm, input);
  return wish.ok ? showAlerts(await switchOwnEndpoint(wish.owner, wish.form.endpointId, "on")) : wish;
}

export async function switchOff(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, endpointForm, input);
  return wish.ok ? showAlerts(await switchOwnEndpoint(wish.owner, wish.form.endpointId, "off")) : wish;
}

export async function removeEndpoint(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, endpointForm, input);
  return wish.ok ? showAlerts(await deleteOwnEndpoint(wish.owner, wish.form.endpointId)) : wish;
}

export async function sendSample(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, sampleForm, input);
  return wish.ok ? showAlerts(await sendOwnSample(wish.owner, wish.form)) : wish;
}

export async function resendFailed(sessionId: unknown, input: unknown): Promise<Answer<{ count: number }>> {
  const wish = await readWish(sessionId, resendFailedForm, input);
  return wish.ok ? showAlerts(await resendOwnFailed(wish.owner, wish.form)) : wish;
}

export async function resendDelivery(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, deliveryForm, input);
  return wish.ok ? showAlerts(await resendOwnDelivery(wish.owner, wish.form.deliveryId)) : wish;
}

/** Re-renders the page with the answer: also after a refusal, since the page may be out of date. */
function showAlerts<Given extends Answer>(answer: Given): Given {
  revalidatePath("/alerts");
  return answer;
}
