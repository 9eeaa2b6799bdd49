// The schemas of successful answers, by their name in the document: what a client may rely on. A test checks the running service against
// them.

import { balance, depositPage, receipt, usagePage } from "./answers/account";
import { auditPage } from "./answers/audit";
import { chatChunk, chatCompletion } from "./answers/chat";
import { embeddingList } from "./answers/embeddings";
import { event, eventList } from "./answers/events";
import { message, messageEvent, tokenCount } from "./answers/messages";
import { paymentTerms } from "./answers/payment";
import { model, modelList, promptAnswer, promptDelta, quote } from "./answers/prompt";
import { responseAnswer, responseEvent } from "./answers/responses";

export const answerSchemas = {
  Message: message,
  MessageEvent: messageEvent,
  TokenCount: tokenCount,
  PromptAnswer: promptAnswer,
  PromptDelta: promptDelta,
  Quote: quote,
  ChatCompletion: chatCompletion,
  ChatCompletionChunk: chatChunk,
  Response: responseAnswer,
  ResponseEvent: responseEvent,
  EmbeddingList: embeddingList,
  Model: model,
  ModelList: modelList,
  Balance: balance,
  UsagePage: usagePage,
  DepositPage: depositPage,
  Receipt: receipt,
  Event: event,
  EventList: eventList,
  AuditPage: auditPage,
  PaymentTerms: paymentTerms,
};
