// Generated from the OpenAPI document by `npm run client-types`: do not change it here. Amounts are USD.

export type PromptBody = {
  /** A model ID or alias. */
  model: string;
  /** The prompt, at most as long as the model's context window. */
  prompt: string;
  /** A wallet's signed payment for this request. By default the account's balance pays. GET /api/v1/payment-terms returns the text to sign, POST /api/v1/quote the amount. */
  payment?: {
    /** The paying wallet's address, lowercase or checksummed. */
    from: string;
    /** USDC cents. At least the request's maximum cost, rounded up. */
    amount: number;
    /** The signature over the four lines, as personal_sign returns it. */
    signature: string;
    /** When it was signed, Unix milliseconds. At most five minutes from the server's time when it first arrives. */
    timestamp: number;
    /** Your own ID for this payment, used once: req_ and a number. */
    requestId: string;
    /** ethereum or base. Both mean the chain this service settles on. */
    network: string;
  };
  /** System instruction for the model. */
  system?: string;
  /** Maximum tokens in the answer, up to the model's maxOutputTokens. Default: 1,024, or less if the model allows less. It also limits how much is reserved. */
  maxTokens?: number;
  /** Sampling temperature. Default: the provider's own. */
  temperature?: number;
  /** true to stream the answer as server-sent events. Default: false. */
  stream?: boolean;
  /** Maximum cost in USD. A request that could cost more is rejected with 400 before the model is called. */
  maxCost?: number;
  /** true to lower maxTokens to what your balance or payment, the key's spending limit and maxCost allow, instead of an error. Never below the key's minimum (256 by default). The response then includes clippedTo. Default: the key's setting, or false. */
  clipToBalance?: boolean;
};

export type PromptAnswer = {
  /** Always true. Errors have a different status code. */
  success: true;
  /** The model's answer. */
  text: string;
  /** The ID of the model that answered. */
  model: string;
  /** Token counts from the provider. */
  usage: {
    /** Input tokens. */
    inputTokens: number;
    /** Output tokens, including reasoning. */
    outputTokens: number;
    /** Input plus output tokens. */
    totalTokens: number;
  };
  /** What you were charged. */
  cost: {
    /** Cost of the input tokens. In USD. */
    inputCost: number;
    /** Cost of the output tokens. In USD. */
    outputCost: number;
    /** What you were charged: the exact sum of both. In USD. */
    totalCost: number;
  };
  /** Identifies this request in your records and ours. */
  requestId: string;
  /** The output limit, if it was lowered to fit your balance or payment, the key's spending limit or maxCost. Otherwise absent. */
  clippedTo?: number;
  /** The payment sent with the request. Absent without one. */
  payment?: {
    /** For a signed payment: the payment.requestId you sent. */
    requestId?: string;
    /** The paying wallet. */
    from: string;
    /** The network's CAIP-2 ID. */
    network: string;
    /** Amount transferred, USDC cents; 0 if the wallet's credit covered the request. */
    amount: number;
    /** Same as amount, in USD. In USD. */
    amountUsd: number;
    /** The transaction that transferred it; null if nothing was transferred. */
    transaction: string | null;
    /** What the request cost. In USD. */
    charged: number;
    /** amountUsd minus charged, at least 0. In USD. */
    change: number;
    /** Where the change is. account: in the balance of the account that the wallet is linked to. address: a credit of the wallet's address; to claim it, sign in with the wallet. */
    changeBelongsTo: "account" | "address";
  };
};

export type EmbeddingBody = {
  /** An embedding model: GET /api/v1/models lists it with outputModalities embedding. */
  model: string;
  /** One text, an array of up to 2,048 texts, or their tokens. At most 8,192 tokens each. */
  input: string | unknown[];
  /** float for numbers, base64 for little-endian 32-bit floats. Default: float. */
  encoding_format?: "float" | "base64" | null;
  /** How many numbers each embedding has, for models that support it. Default: the model's maximum. */
  dimensions?: number | null;
  /** Your ID of an end user, up to 64 characters of it. It is stored with the charge and not passed on. */
  user?: string | null;
  /** Maximum cost in USD. A request that could cost more is rejected with 400. Not an OpenAI field. */
  maxCost?: number | null;
};

export type EmbeddingList = {
  /** Always list. */
  object: "list";
  /** One embedding per input, in order. */
  data: Array<{
    /** Always embedding. */
    object: "embedding";
    /** Index of the input, from 0. */
    index: number;
    /** The numbers, or base64 of their bytes. */
    embedding: number[] | string;
  }>;
  /** The ID of the model that answered. */
  model: string;
  /** Token counts from the provider, and the cost. */
  usage: {
    /** Tokens of all inputs. */
    prompt_tokens: number;
    /** Same as prompt_tokens, because there is no output. */
    total_tokens: number;
    /** What you were charged. Not an OpenAI field. In USD. */
    cost: number;
  };
};

export type Quote = {
  /** The model's ID. */
  model: string;
  /** Upper bound of the input tokens. */
  inputTokens: number;
  /** Maximum output tokens. */
  maxOutputTokens: number;
  /** Maximum reasoning tokens beyond maxOutputTokens; 0 for most models. */
  maxReasoningTokens: number;
  /** Maximum cost of the request, which would be reserved. In USD. */
  ceiling: number;
  /** Estimated cost, assuming half of the allowed output; never above ceiling. In USD. */
  expected: number;
  /** The account's available balance. In USD. */
  available: number;
  /** Whether available covers the ceiling. */
  covered: boolean;
  /** Minimum amount of a signed payment for this request, USDC cents. */
  paymentCents: number;
  /** The largest maxTokens that available covers; 0 if none. */
  affordableMaxTokens: number;
  /** What remains of the key's spending limit in this period, USD; null without a limit. */
  capLeft: number | null;
  /** The output limit with clipToBalance; null if even the minimum does not fit and the request would be refused. */
  clippedTo: number | null;
  /** Whether the ceiling is within maxCost; true without maxCost. */
  withinMaxCost: boolean;
  /** Identifies the prices by their content: the same prices always have the same ID. */
  priceVersion: string;
  /** The model's price per token. */
  pricing: {
    /** Price per input token. In USD. */
    inputPerToken: number;
    /** Price per output token. In USD. */
    outputPerToken: number;
    /** Always USD. */
    currency: "USD";
  };
  /** What happens when you close the stream early. cut: If you stop, the provider stops too, and you pay for the input and the output generated until then. drained: If you stop, the provider still generates the whole answer, and you pay for all of it. */
  whenLeft: "cut" | "drained";
};

export type Model = {
  /** The model ID to send as model. */
  id: string;
  /** Always model. */
  object: "model";
  /** When the vendor released it: the start of that day, UTC, in Unix seconds. 0 if unknown. */
  created: number;
  /** Always model. Included for Anthropic's client, like the next four fields. */
  type: "model";
  /** Same as id. */
  display_name: string;
  /** Same as created, as an RFC 3339 time. 1970-01-01T00:00:00Z if unknown. */
  created_at: string;
  /** Same as contextWindow. */
  max_input_tokens: number;
  /** Same as maxOutputTokens. */
  max_tokens: number;
  /** The model's provider. */
  owned_by: string;
  /** A one-line description. */
  description: string;
  /** What it returns: text, or embedding for POST /api/v1/embeddings. */
  outputModalities: Array<"text" | "embedding">;
  /** What it accepts as input. */
  inputModalities: Array<"text" | "image">;
  /** Maximum input and output tokens together. */
  contextWindow: number;
  /** Maximum output tokens of a request. */
  maxOutputTokens: number;
  /** The model's price. */
  pricing: {
    /** Price per 1,000 input tokens. In USD. */
    inputPer1K: number;
    /** Price per 1,000 output tokens. In USD. */
    outputPer1K: number;
    /** Always USD. */
    currency: "USD";
  };
  /** The price of each kind of token. */
  prices: Array<{
    /** What a token was used for. Kinds without a price of their own cost as much as input, reasoning as much as output. */
    kind: "input" | "cache_read" | "cache_write" | "cache_write_1h" | "image" | "output" | "reasoning";
    /** Price per million tokens. In USD. */
    per1M: number;
    /** Number of input tokens, including cached input, from which the price applies to the whole request. If absent, the price applies to any number of input tokens. */
    fromInputTokens?: number;
  }>;
  /** Other names for this model. */
  aliases: string[];
  /** The day it retires, UTC. From then on, requests are refused. Absent if no date is known. */
  retiresOn?: string;
  /** The model to use instead once it has retired. */
  successor?: string;
};

export type ModelList = {
  /** Always list. */
  object: "list";
  /** The models, in catalogue order. */
  data: Model[];
  /** The first model's ID. Included for Anthropic's client. */
  first_id: string | null;
  /** The last model's ID. Included for Anthropic's client. */
  last_id: string | null;
  /** Always false: the list is complete. */
  has_more: false;
};

export type Balance = {
  /** The account's balance, including reserved funds. In USD. */
  balance: number;
  /** Funds reserved for running requests. In USD. */
  held: number;
  /** balance minus held: what new requests can spend. In USD. */
  available: number;
  /** Always USD. */
  currency: "USD";
  /** Your deposit addresses. null until your first sign-in. */
  wallet: {
    /** Your address on Base; null if this service does not accept deposits on Base. */
    base: string | null;
    /** Your address on Solana; null if this service does not accept deposits on Solana. */
    solana: string | null;
  } | null;
  /** Your withdrawals that are not final yet, oldest first. Their amounts are no longer part of your balance. */
  withdrawals: Array<{
    /** Identifies this withdrawal. */
    id: string;
    /** The chain it is paid on. */
    chain: "base" | "solana";
    /** The amount that arrives at the destination. In USD. */
    amount: number;
    /** The fee. Amount and fee are deducted from your balance. In USD. */
    fee: number;
    /** awaiting_approval: waiting for manual approval. approved: paid next, or see waitsFor. From signed on, it can no longer be cancelled. */
    state: "awaiting_approval" | "approved" | "signed" | "sent" | "confirmed";
    /** Why an approved withdrawal is not signed yet; null if it is paid next. funds: USDC is being moved to that chain. chain: the chain does not respond. reserves: reserves are too low. frozen: the account is frozen. limit: the service has reached its 24-hour limit. signature: the signature is no longer valid. signer: signing is paused. fees: the budget for network fees is used up for now. approval: it needs manual approval. waiting_time: the delay you set has not passed. wallet: the chain does not confirm the signature of a contract wallet. */
    waitsFor: "funds" | "chain" | "reserves" | "frozen" | "limit" | "signature" | "signer" | "fees" | "approval" | "waiting_time" | "wallet" | null;
    /** How many withdrawals are ahead of this one while it waits for the service's 24-hour limit; null otherwise. */
    ahead: number | null;
  }>;
};

export type UsagePage = {
  /** Start of the period. */
  from: string;
  /** End of the period, exclusive. */
  to: string;
  /** How rows are grouped; empty for one row per request. */
  groupBy: Array<"day" | "model" | "key">;
  /** Requests or groups, newest first. */
  rows: Array<{
    /** Identifies this request in your records and ours. */
    requestId: string;
    /** When it finished and was charged. */
    at: string;
    /** The ID of the model that answered. */
    model: string;
    /** The API key used; null for a request without a key. */
    keyId: string | null;
    /** Token counts from the provider. */
    usage: {
      /** Input tokens. */
      inputTokens: number;
      /** Output tokens, including reasoning. */
      outputTokens: number;
      /** Input plus output tokens. */
      totalTokens: number;
      /** Input tokens read from the provider's cache. */
      cachedInputTokens: number;
      /** Input tokens written to the provider's cache for some minutes. */
      cacheWriteTokens: number;
      /** Input tokens written to the provider's cache for an hour. */
      cacheWrite1hTokens: number;
      /** Input tokens of images that were neither read from the cache nor written to it. */
      imageTokens: number;
      /** Output tokens spent on reasoning. */
      reasoningTokens: number;
    };
    /** What you were charged. */
    cost: {
      /** Cost of the input tokens. In USD. */
      inputCost: number;
      /** Cost of the output tokens. In USD. */
      outputCost: number;
      /** What you were charged: the exact sum of both. In USD. */
      totalCost: number;
    };
    /** complete: the whole answer; partial: the provider stopped midway; cancelled: the client closed the stream; lost: the answer could not be delivered, at no cost. */
    outcome: "complete" | "partial" | "cancelled" | "lost";
    /** Whether the request was streamed. */
    streamed: boolean;
  }> | Array<{
    /** The day, UTC, if grouped by day. */
    day?: string;
    /** The model's ID, if grouped by model. */
    model?: string;
    /** The key's ID, if grouped by key. */
    keyId?: string | null;
    /** Number of requests. */
    requests: number;
    /** Token counts from the provider. */
    usage: {
      /** Input tokens. */
      inputTokens: number;
      /** Output tokens, including reasoning. */
      outputTokens: number;
      /** Input plus output tokens. */
      totalTokens: number;
      /** Input tokens read from the provider's cache. */
      cachedInputTokens: number;
      /** Input tokens written to the provider's cache for some minutes. */
      cacheWriteTokens: number;
      /** Input tokens written to the provider's cache for an hour. */
      cacheWrite1hTokens: number;
      /** Input tokens of images that were neither read from the cache nor written to it. */
      imageTokens: number;
      /** Output tokens spent on reasoning. */
      reasoningTokens: number;
    };
    /** What you were charged. */
    cost: {
      /** Cost of the input tokens. In USD. */
      inputCost: number;
      /** Cost of the output tokens. In USD. */
      outputCost: number;
      /** What you were charged: the exact sum of both. In USD. */
      totalCost: number;
    };
  }>;
  /** Totals of the whole period, on every page. */
  totals: {
    /** Number of requests. */
    requests: number;
    /** Token counts from the provider. */
    usage: {
      /** Input tokens. */
      inputTokens: number;
      /** Output tokens, including reasoning. */
      outputTokens: number;
      /** Input plus output tokens. */
      totalTokens: number;
      /** Input tokens read from the provider's cache. */
      cachedInputTokens: number;
      /** Input tokens written to the provider's cache for some minutes. */
      cacheWriteTokens: number;
      /** Input tokens written to the provider's cache for an hour. */
      cacheWrite1hTokens: number;
      /** Input tokens of images that were neither read from the cache nor written to it. */
      imageTokens: number;
      /** Output tokens spent on reasoning. */
      reasoningTokens: number;
    };
    /** What you were charged. */
    cost: {
      /** Cost of the input tokens. In USD. */
      inputCost: number;
      /** Cost of the output tokens. In USD. */
      outputCost: number;
      /** What you were charged: the exact sum of both. In USD. */
      totalCost: number;
    };
  };
  /** Send it as cursor to get the next page. null on the last page. */
  nextCursor: string | null;
};

export type DepositPage = {
  /** Deposits, newest first. */
  rows: Array<{
    /** Identifies this deposit. Stays the same if the transaction moves to another block. */
    id: string;
    /** The chain of the deposit. */
    chain: "base" | "solana";
    /** seen: in the newest block. confirming: waiting for confirmations. credited: part of your balance. below_minimum: credited once the uncredited deposits at its address add up to the minimum. reversed: the chain dropped the transaction. */
    state: "seen" | "confirming" | "credited" | "below_minimum" | "reversed";
    /** Amount of USDC received. In USD. */
    amount: number;
    /** Your deposit address that received it. */
    address: string;
    /** The transaction's hash on Base, its signature on Solana. */
    transaction: string;
    /** The transaction in a block explorer; null if there is none, as in a sandbox. */
    transactionUrl: string | null;
    /** The block on Base, the slot on Solana. */
    block: number;
    /** Confirmations so far, up to neededConfirmations. */
    confirmations: number;
    /** Estimated number of confirmations needed before it is credited. It varies with the chain. */
    neededConfirmations: number;
    /** Final: the chain can no longer undo it. */
    isFinal: boolean;
    /** When this service first saw it. */
    seenAt: string;
    /** When it was credited; null before. */
    creditedAt: string | null;
    /** When it was reversed; null unless it was. */
    reversedAt: string | null;
  }>;
  /** Send it as cursor to get the next page. null on the last page. */
  nextCursor: string | null;
};

export type Receipt = {
  /** Identifies this request in your records and ours. */
  requestId: string;
  /** charged, or in_progress while it runs. */
  state: "charged";
  /** When it finished and was charged; while it runs, when it started. */
  at: string;
  /** The ID of the model that answered. */
  model: string;
  /** The ID of the provider that ran the model. */
  provider: string;
  /** The API key used; null for a request without a key. */
  keyId: string | null;
  /** Token counts from the provider. */
  usage: {
    /** Input tokens. */
    inputTokens: number;
    /** Output tokens, including reasoning. */
    outputTokens: number;
    /** Input plus output tokens. */
    totalTokens: number;
    /** Input tokens read from the provider's cache. */
    cachedInputTokens: number;
    /** Input tokens written to the provider's cache for some minutes. */
    cacheWriteTokens: number;
    /** Input tokens written to the provider's cache for an hour. */
    cacheWrite1hTokens: number;
    /** Input tokens of images that were neither read from the cache nor written to it. */
    imageTokens: number;
    /** Output tokens spent on reasoning. */
    reasoningTokens: number;
  };
  /** What you were charged. */
  cost: {
    /** Cost of the input tokens. In USD. */
    inputCost: number;
    /** Cost of the output tokens. In USD. */
    outputCost: number;
    /** What you were charged: the exact sum of both. In USD. */
    totalCost: number;
  };
  /** Identifies the prices by their content: the same prices always have the same ID. */
  priceVersion: string;
  /** The model's price per token. */
  pricing: {
    /** Price per input token. In USD. */
    inputPerToken: number;
    /** Price per output token. In USD. */
    outputPerToken: number;
    /** Always USD. */
    currency: "USD";
  };
  /** The cost by kind of token. */
  costByKind: Array<{
    /** What a token was used for. Kinds without a price of their own cost as much as input, reasoning as much as output. */
    kind: "input" | "cache_read" | "cache_write" | "cache_write_1h" | "image" | "output" | "reasoning";
    /** Tokens of this kind alone. */
    tokens: number;
    /** Price per token. In USD. */
    price: number;
    /** tokens times price. In USD. */
    cost: number;
  }>;
  /** complete: the whole answer; partial: the provider stopped midway; cancelled: the client closed the stream; lost: the answer could not be delivered, at no cost. */
  outcome: "complete" | "partial" | "cancelled" | "lost";
  /** true if the provider did not report all token counts and we used our own for the rest. */
  estimated: boolean;
  /** Whether the request was streamed. */
  streamed: boolean;
  /** Milliseconds until the provider's first token; null if unknown. */
  firstTokenMs: number | null;
  /** Milliseconds spent at the provider. */
  providerMs: number;
  /** balance, payment (a signed payment) or x402 (an x402 payment or a wallet's credit). */
  paidBy: string;
  /** What happens when you close the stream early. cut: If you stop, the provider stops too, and you pay for the input and the output generated until then. drained: If you stop, the provider still generates the whole answer, and you pay for all of it. With the model's default options; a quote returns it for the options of a request. null for a model that is no longer offered. */
  whenLeft: "cut" | "drained" | null;
  /** The payment sent with the request; null if a balance or a credit paid. */
  payment: {
    /** proof: a signed payment. exact: x402. */
    scheme: "proof" | "exact";
    /** For a signed payment: the payment.requestId you sent. */
    requestId?: string;
    /** The paying wallet. */
    from: string;
    /** The network's CAIP-2 ID. */
    network: string;
    /** Amount transferred, USDC cents; 0 if the wallet's credit covered the request. */
    amount: number;
    /** Same as amount, in USD. In USD. */
    amountUsd: number;
    /** The transaction that transferred it; null if nothing was transferred. */
    transaction: string | null;
    /** What the request cost. In USD. */
    charged: number;
    /** amountUsd minus charged, at least 0. In USD. */
    change: number;
    /** Where the change is. account: in the balance of the account that the wallet is linked to. address: a credit of the wallet's address; to claim it, sign in with the wallet. */
    changeBelongsTo: "account" | "address";
  } | null;
} | {
  /** Identifies this request in your records and ours. */
  requestId: string;
  /** charged, or in_progress while it runs. */
  state: "in_progress";
  /** When it finished and was charged; while it runs, when it started. */
  at: string;
  /** The API key used; null for a request without a key. */
  keyId: string | null;
  /** While it runs: the amount reserved, which is its maximum cost. In USD. */
  ceiling: number;
  /** While it runs: the latest time at which it ends. */
  deadline: string;
};

export type Event = {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** The account was closed. To reopen it, sign in with one of its wallets. Personal data is deleted after seven days. */
  type: "account.closed";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: Record<string, unknown>;
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** The balance fell below your threshold. Sent again only after the balance has risen 10% above it. */
  type: "balance.low";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** The balance, including reserved funds. In USD. */
    balance: number;
    /** Your threshold. In USD. */
    threshold: number;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** A request was refused because the balance does not cover it. Sent again only after the balance has gone up. */
  type: "balance.exhausted";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** The available balance. In USD. */
    available: number;
    /** The maximum cost of the request. In USD. */
    needed: number;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** A deposit was seen on its chain. It is credited once confirmed, if it reaches the minimum deposit. */
  type: "deposit.seen";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** The deposit's ID. */
    depositId: string;
    /** base or solana. */
    chain: string;
    /** Amount of USDC received. In USD. */
    amount: number;
    /** Your deposit address that received it. */
    address: string;
    /** The transaction's hash on Base, its signature on Solana. */
    transaction: string;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** A deposit was added to the balance. */
  type: "deposit.credited";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** The deposit's ID. */
    depositId: string;
    /** base or solana. */
    chain: string;
    /** Amount of USDC received. In USD. */
    amount: number;
    /** Your deposit address that received it. */
    address: string;
    /** The transaction's hash on Base, its signature on Solana. */
    transaction: string;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** The chain dropped a deposit's transaction. If it was credited, it was taken out of the balance. */
  type: "deposit.reversed";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** The deposit's ID. */
    depositId: string;
    /** base or solana. */
    chain: string;
    /** Amount of USDC received. In USD. */
    amount: number;
    /** Your deposit address that received it. */
    address: string;
    /** The transaction's hash on Base, its signature on Solana. */
    transaction: string;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** A signed payment by one of your wallets, or with one of your keys, was confirmed on its chain. */
  type: "payment.completed";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** The payment's ID. */
    paymentId: string;
    /** The chain, as a CAIP-2 name. */
    network: string;
    /** The wallet that signed it. */
    payer: string;
    /** Amount of USDC. In USD. */
    amount: number;
    /** The transaction that moved it. */
    transaction?: string;
    /** Why it failed: expired, allowance_too_low, wallet_balance_too_low, bad_signature, settlement_failed, or reversed (its chain dropped it). */
    reason?: string;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** A signed payment failed, or its chain dropped it after it was credited. No USDC left the wallet. */
  type: "payment.failed";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** The payment's ID. */
    paymentId: string;
    /** The chain, as a CAIP-2 name. */
    network: string;
    /** The wallet that signed it. */
    payer: string;
    /** Amount of USDC. In USD. */
    amount: number;
    /** The transaction that moved it. */
    transaction?: string;
    /** Why it failed: expired, allowance_too_low, wallet_balance_too_low, bad_signature, settlement_failed, or reversed (its chain dropped it). */
    reason?: string;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** A withdrawal was requested and signed by one of your wallets. Cancel it if it was not you. */
  type: "withdrawal.requested";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** The withdrawal's ID. */
    withdrawalId: string;
    /** base or solana. */
    chain: string;
    /** Amount that the destination receives. In USD. */
    amount: number;
    /** Fee charged on top of it. In USD. */
    fee: number;
    /** The wallet that it is paid to. */
    destination: string;
    /** When the waiting time that you set ends. */
    payFrom?: string;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** Your withdrawal rules were changed. Stricter limits apply immediately; looser ones after 24 hours. */
  type: "withdrawal.rules_changed";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** The maximum you can withdraw in 24 hours. Absent if you set no limit. In USD. */
    dailyLimit?: number;
    /** How long each withdrawal waits before it is paid, in seconds. */
    waitSeconds: number;
    /** The wallets that withdrawals can go to, as chain:address, separated by spaces. Absent if they can go to any linked wallet. */
    destinations?: string;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** A withdrawal was paid and its block is final. */
  type: "withdrawal.completed";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** The withdrawal's ID. */
    withdrawalId: string;
    /** base or solana. */
    chain: string;
    /** Amount that the destination receives. In USD. */
    amount: number;
    /** Fee charged on top of it. In USD. */
    fee: number;
    /** The wallet that it is paid to. */
    destination: string;
    /** The transaction that paid it. */
    transaction?: string;
    /** Why it was not paid: cancelled, or a sentence. */
    reason?: string;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** A withdrawal was cancelled, refused or could not be paid. Its amount and fee are back in the balance. */
  type: "withdrawal.failed";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** The withdrawal's ID. */
    withdrawalId: string;
    /** base or solana. */
    chain: string;
    /** Amount that the destination receives. In USD. */
    amount: number;
    /** Fee charged on top of it. In USD. */
    fee: number;
    /** The wallet that it is paid to. */
    destination: string;
    /** The transaction that paid it. */
    transaction?: string;
    /** Why it was not paid: cancelled, or a sentence. */
    reason?: string;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** A key has spent 80% of its spending limit. Sent once per period. */
  type: "key.cap_80";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** The key's ID. */
    keyId: string;
    /** The key's spending limit. In USD. */
    cap: number;
    /** Spent in this period. In USD. */
    spent: number;
    /** The period of the spending limit: hour, day, week, month or total. */
    period: string;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** A request was refused because of its key's spending limit. Sent once per period. */
  type: "key.cap_reached";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** The key's ID. */
    keyId: string;
    /** The key's spending limit. In USD. */
    cap: number;
    /** Spent in this period, including reserved funds. In USD. */
    used: number;
    /** The period of the spending limit: hour, day, week, month or total. */
    period: string;
    /** The maximum cost of the request. In USD. */
    needed: number;
    /** When the next period begins. Absent for a total limit. */
    resetsAt?: string;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** A key spent far more in 60 minutes than it usually does in this hour of the week; in a new account, more than $10. */
  type: "key.spike";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** The key's ID. */
    keyId: string;
    /** Spent in the last 60 minutes. In USD. */
    spent: number;
    /** What it usually spends in this hour of the week, or what the account spends if the key is new; 0 if the account is new. In USD. */
    usual: number;
    /** The maximum cost of its running requests. In USD. */
    underWay: number;
    /** yes if the key was paused, which its owner can choose; otherwise no. */
    paused: string;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** A key was created. */
  type: "key.created";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** The key's ID. */
    keyId: string;
    /** The key's name. */
    name: string;
    /** Its last four characters. */
    last4: string;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** A key was paused, by you or by its spending alert. Its requests are refused until you resume it. */
  type: "key.paused";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** The key's ID. */
    keyId: string;
    /** The key's name. */
    name: string;
    /** Its last four characters. */
    last4: string;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** A key was permanently revoked. */
  type: "key.revoked";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** The key's ID. */
    keyId: string;
    /** The key's name. */
    name: string;
    /** Its last four characters. */
    last4: string;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** A destination was turned on, turned off or deleted, got other events or a new secret, or was added (except your first). The destination itself is notified too, whichever events it receives. */
  type: "endpoint.changed";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** The destination's ID. */
    endpointId: string;
    /** webhook, chat or email. */
    kind: string;
    /** Its host. */
    host: string;
    /** added, switched_on, switched_off or deleted; events: it receives different events; secret: it got a new secret, and both secrets sign for 24 hours. */
    change: string;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** A destination was turned off because it answered 410, every attempt failed for five days, or its recipient unsubscribed. It is not notified itself. */
  type: "endpoint.disabled";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** The destination's ID. */
    endpointId: string;
    /** webhook, chat or email. */
    kind: string;
    /** Its host. */
    host: string;
    /** gone: it answered 410. failing: every attempt failed for five days. unsubscribed: the recipient unsubscribed. */
    reason: string;
    /** When it started to fail. */
    failingSince?: string;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** A model that you used in the last 30 days will be retired. Sent when the date is known, and again seven days before. */
  type: "model.retiring";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** The model's ID. */
    model: string;
    /** The first day (UTC) on which the model is no longer available. */
    retiresOn: string;
    /** The model to use instead. */
    successor?: string;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** The price of a model that you used in the last 30 days changed. Sent about ten minutes later. */
  type: "price.changed";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** The model's ID. */
    model: string;
    /** Each price that changed. */
    changes: Array<{
      /** What a token was used for. Kinds without a price of their own cost as much as input, reasoning as much as output. */
      kind: "input" | "cache_read" | "cache_write" | "cache_write_1h" | "image" | "output" | "reasoning";
      /** The price per million tokens before. In USD. */
      before: number;
      /** The price per million tokens now. In USD. */
      after: number;
      /** Number of input tokens from which the price applies to the whole request. If absent, it applies to any number. */
      fromInputTokens?: number;
    }>;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** A wallet was linked. It can sign in now and receive withdrawals after 24 hours. */
  type: "wallet.linked";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** evm or solana. */
    chain: string;
    /** The wallet's address. */
    address: string;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** One of your wallets asked to unlink another. If it was not you, keep the wallet under Settings. */
  type: "wallet.leaving";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** evm or solana. */
    chain: string;
    /** The wallet's address. */
    address: string;
    /** When it is unlinked. Until then it cannot sign for the account. */
    leavesAt: string;
  };
} | {
  /** The event's ID. Retries have the same ID. */
  id: string;
  /** The event's number in the account, without gaps. */
  sequence: number;
  /** A wallet was unlinked. */
  type: "wallet.unlinked";
  /** When it happened. */
  createdAt: string;
  /** What happened. */
  data: {
    /** evm or solana. */
    chain: string;
    /** The wallet's address. */
    address: string;
  };
};

export type EventList = {
  /** Always list. */
  object: "list";
  /** Events, oldest first. */
  data: Event[];
  /** true if there are more. To get them, send the last ID as after. */
  hasMore: boolean;
};

export type AuditPage = {
  /** Always list. */
  object: "list";
  /** Entries, newest first. */
  data: Array<{
    /** Identifies this entry. */
    id: string;
    /** What happened. */
    kind: "session.opened" | "session.confirmed" | "session.ended" | "wallet.linked" | "wallet.leaving" | "wallet.kept" | "wallet.unlinked" | "account.absorbed" | "account.frozen" | "account.unfrozen" | "account.closed" | "account.reopened" | "account.limits_changed" | "key.created" | "key.changed" | "key.secret_rotated" | "key.old_secret_ended" | "key.paused" | "key.resumed" | "key.revoked" | "endpoint.created" | "endpoint.changed" | "endpoint.secret_rotated" | "endpoint.deleted" | "alarm.changed" | "withdrawal.ordered" | "withdrawal.cancelled" | "withdrawal.approved" | "withdrawal.refused" | "withdrawal.rules_changed" | "process.started" | "pepper.changed" | "relayer.changed" | "settlement.deployed";
    /** When it happened. */
    createdAt: string;
    /** Who did it. A key without the scope account only sees the kind. */
    actor: {
      /** Who was signed in. */
      kind: "session";
      /** The session. */
      sessionId?: string;
      /** evm or solana. */
      chain?: string;
      /** The wallet's address. */
      address?: string;
    } | {
      /** A wallet that signed the change. */
      kind: "wallet";
      /** evm or solana. */
      chain?: string;
      /** The wallet's address. */
      address?: string;
    } | {
      /** Someone who opened a link in an email to one of your addresses. */
      kind: "link";
    } | {
      /** The operator of this service. */
      kind: "operator";
    } | {
      /** The service itself. */
      kind: "service";
      /** The job that did it. */
      job?: string;
    };
    /** Where it came from. null once deleted, for changes by the service or its operator, and for a key without the scope account. */
    from: {
      /** The IP address. */
      address: string;
      /** The browser, such as Chrome on macOS. */
      device: string;
    } | null;
    /** The ID of the key, session, endpoint or withdrawal, or the wallet's address. */
    subject: string | null;
    /** The values before; null if there were none. Amounts are in USD. Names, networks, hosts, email addresses and signed texts are null once they are deleted. */
    before: {
      [field: string]: string | number | boolean | string[] | null;
    } | null;
    /** The values after; null if there are none. Amounts are in USD. Names, networks, hosts, email addresses and signed texts are null once they are deleted. */
    after: {
      [field: string]: string | number | boolean | string[] | null;
    } | null;
    /** Its position in the log of the whole service; null for up to a second, until it is assigned. */
    sequence: number | null;
    /** SHA-256 of the previous digest and this entry's content, in hexadecimal; null without a sequence. */
    digest: string | null;
  }>;
  /** Send it as cursor to get the next page; null on the last one. */
  nextCursor: string | null;
};

export type PaymentTerms = {
  /** The name of the service: the first word of the message to sign. */
  serviceName: string;
  /** The four lines to sign with personal_sign, joined by line feeds, without a trailing one. */
  message: string[];
  /** Minimum payment, USDC cents. */
  minimumAmount: number;
  /** Maximum difference between a payment's timestamp and the server's time when it first arrives, in milliseconds. */
  maxAgeMs: number;
  /** Networks for signed payments; empty if this service does not accept them. */
  networks: Array<{
    /** The network's CAIP-2 ID. */
    network: string;
    /** Accepted values of payment.network. */
    names: string[];
    /** The EIP-155 chain ID. */
    chainId: number;
    /** The contract that transfers the payment. Your wallet approves USDC to it once. */
    settlementContract: string;
    /** Whether the contract is deployed; null if unknown because no node responds. */
    isDeployed: boolean | null;
    /** The USDC contract. */
    usdc: string;
    /** The only address the contract can send USDC to. */
    treasury: string;
    /** The only address that can call the contract. It pays the gas. */
    relayer: string;
  }>;
  /** Payment with x402. */
  x402: {
    /** The protocol version. */
    version: 2;
    /** Always exact. */
    scheme: "exact";
    /** The endpoint for x402 clients. Same body, no API key. */
    endpoint: string;
    /** Networks, as CAIP-2 IDs. */
    networks: string[];
  };
};

/** List charged requests. */
export type GetUsageQuery = {
  /** Start: a date or a time. Default: 30 days before to. */
  from?: string;
  /** End, exclusive: a date or a time, up to 366 days after from. Default: the end of today, UTC. */
  to?: string;
  /** day, model and key, comma-separated. Default: one row per request. */
  groupBy?: string;
  /** Rows per page. */
  limit?: number;
  /** nextCursor of the previous page. Keep from, to and groupBy the same. */
  cursor?: string;
};

/** List deposits. */
export type ListDepositsQuery = {
  /** Rows per page. */
  limit?: number;
  /** nextCursor of the previous page. */
  cursor?: string;
};

/** List events. */
export type ListEventsQuery = {
  /** Rows per page. */
  limit?: number;
  /** The ID of the last event you have. Default: start with the oldest event. */
  after?: string;
};

/** List the audit log. */
export type ListAuditQuery = {
  /** Rows per page. */
  limit?: number;
  /** Only entries of this group. */
  group?: "session" | "wallet" | "account" | "key" | "endpoint" | "alarm" | "withdrawal";
  /** nextCursor of the previous page. */
  cursor?: string;
};

/** The details of each error code, besides docs. */
export type ErrorDetails = {
  /** The request is invalid. The body is not JSON, is too large (over 1 MiB, or 32 MiB where images are accepted), or has a missing, unknown or out-of-range field; the Idempotency-Key was used with a different body; the request could cost more than maxCost; the path is not normalized; the prompt is longer than the context window; or the model's provider rejected it. Correct the fields listed in details.issues. */
  INVALID_REQUEST: {
    /** One entry per problem: the field's path and what it must be. */
    issues: Array<{
      /** The field. */
      path: string;
      /** What it must be. */
      message: string;
    }>;
    /** The kind of problem, if it has a name: bad_json, content_type, content_encoding, too_large, too_many_values, too_much_text, not_utf8, cut_off, idempotency_key, idempotency_mismatch, max_cost_exceeded, above_x402_maximum, path, context_length_exceeded, request_too_large, invalid_encrypted_content, provider_rejected; for what never became a request: bad_http, headers_too_large (431), too_slow (408). */
    reason?: string;
    /** context_length_exceeded: the input tokens, as counted by the provider or as our lower bound, if known. */
    inputTokens?: number;
    /** context_length_exceeded: the output limit, if it counts toward the context window. */
    outputTokens?: number;
    /** context_length_exceeded: the maximum number of tokens, if known. */
    contextWindow?: number;
    /** above_x402_maximum: the maximum cost of the request. */
    ceiling?: number;
    /** above_x402_maximum: the most that an x402 payment can be. */
    maximum?: number;
    /** above_x402_maximum: the largest maxTokens that an x402 payment of 1 USD covers. */
    affordableMaxTokens?: number;
  };
  /** Unknown model. No model has this ID or alias, it has retired, your API key is not allowed to use it, or it can't be used with this endpoint: embedding models don't answer prompts. Use a model from details.supportedModels, or list them with GET /api/v1/models. */
  INVALID_MODEL: {
    /** The model you sent, up to 100 characters. */
    model: string;
    /** The models this key can use. */
    supportedModels: string[];
    /** The day it retired, UTC, if it has. */
    retiredOn?: string;
    /** The model to use instead, if it has retired. */
    successor?: string;
  };
  /** The API key is missing or invalid. The Authorization header is missing, or the key is incomplete, unknown, revoked, expired, replaced or paused, or its account is frozen. Send your key in the header Authorization: Bearer pp_…; details.reason says what is wrong with it. */
  INVALID_API_KEY: {
    /** missing, malformed (incomplete), unknown, revoked, expired, rotated (the key has a new secret) or disabled (paused, or the account is frozen). */
    reason: "missing" | "malformed" | "unknown" | "revoked" | "expired" | "rotated" | "disabled";
  };
  /** This API key is not allowed to do this. The key lacks the scope for this endpoint, or the request comes from an IP address that the key does not allow. details.reason says what is missing: a scope, or your IP address in the key's allowlist. Edit the key in the console, or use another key. */
  KEY_NOT_ALLOWED: {
    /** scope or address. */
    reason: "scope" | "address";
    /** scope: the missing scope. */
    neededScope?: "prompt" | "read" | "account";
    /** address: the IP address of the request. */
    address?: string;
  };
  /** Not enough USDC. The request could cost more than your available balance. The model was not called. If your balance doesn't even cover the cheapest prompt, a body over 1 MiB is refused before it is read. Deposit at least details.deficit (the minimum deposit is $1), or lower maxTokens to details.affordableMaxTokens. */
  INSUFFICIENT_BALANCE: {
    /** Available balance in USD, without the funds reserved for running requests. */
    currentBalance: number;
    /** Maximum cost of this request, USD; of the cheapest prompt if the body was not read. */
    requiredBalance: number;
    /** requiredBalance minus currentBalance. */
    deficit: number;
    /** The largest maxTokens that your balance covers; 0 if none. */
    affordableMaxTokens: number;
    /** Where to deposit. */
    depositUrl: string;
  };
  /** The request could exceed the key's spending limit. The request could exceed the key's remaining spending limit. The account's balance may still be sufficient. Raise the key's spending limit in the console, use another key, or wait until details.resetsAt. */
  SPEND_CAP_REACHED: {
    /** The key's spending limit per period, USD. */
    cap: number;
    /** Spent with this key in this period, USD, including the funds reserved for its running requests. */
    spent: number;
    /** When the next period begins, UTC; null for a total limit. */
    resetsAt: string | null;
  };
  /** The signed payment was not accepted. The signed payment or x402 payment was not accepted. Unless the message says otherwise, no USDC has moved. details.reason says why, and the message how to fix it. Unless the message says otherwise, no USDC has moved. */
  PAYMENT_VERIFICATION_FAILED: {
    /** One of malformed, network_unsupported, amount_too_low, amount_mismatch, bad_signature, expired, payer_mismatch, replayed, allowance_too_low, wallet_balance_too_low, settlement_failed. */
    reason: "malformed" | "network_unsupported" | "amount_too_low" | "amount_mismatch" | "bad_signature" | "expired" | "payer_mismatch" | "replayed" | "allowance_too_low" | "wallet_balance_too_low" | "settlement_failed";
    /** amount_too_low: the minimum to sign for this request, USDC cents. */
    requiredAmount?: number;
    /** amount_too_low: the smallest payment this service accepts, USDC cents. */
    minimumAmount?: number;
    /** amount_too_low: the maximum cost of the request. */
    ceiling?: number;
    /** malformed: what is wrong, field by field. */
    issues?: Array<{
      /** The field. */
      path: string;
      /** What it must be. */
      message: string;
    }>;
  };
  /** Payment required. A request to the x402 endpoint came without a payment, or the wallet's credit doesn't cover it. The PAYMENT-REQUIRED header contains the same requirements in x402's format. Sign one of details.accepts and send the same request again with it in PAYMENT-SIGNATURE. x402 clients do this automatically. */
  PAYMENT_REQUIRED: {
    /** x402 payment requirements. Sign one of them. */
    accepts: Array<{
      /** The network's CAIP-2 ID. */
      network: string;
      /** Minimum amount to sign, in base units of USDC. */
      amount: string;
      [field: string]: unknown;
    }>;
  };
  /** Not found. The path does not exist in the API, or nothing has the ID in it: an unknown model, or a request that is not yours or was not charged. Check the path and the ID in it. The API reference lists all endpoints. */
  NOT_FOUND: Record<string, unknown>;
  /** Method not allowed. The path exists, but not for this method. Often a GET was sent instead of a POST. Use one of the methods in the Allow header. */
  METHOD_NOT_ALLOWED: Record<string, unknown>;
  /** The same request is still running. A request with the same Idempotency-Key or the same payment is still running. Wait until the first request ends, then send it again. If the first request was answered, you get that answer without another charge. */
  REQUEST_IN_PROGRESS: Record<string, unknown>;
  /** This payment identifier belongs to another payment or request. The payment-identifier of an x402 payment was already used by another payment, or by this payment with another body. Nothing was verified or moved. Choose a new payment-identifier for each new payment. To repeat a request, send it again with exactly the same payment and body. */
  PAYMENT_CONFLICT: Record<string, unknown>;
  /** The body's compression is not supported. The header Content-Encoding names an unsupported compression, or more than one. Send the body without Content-Encoding, or with one of details.accepted. */
  UNSUPPORTED_MEDIA_TYPE: {
    /** Supported values of Content-Encoding. Also in the header Accept-Encoding. */
    accepted: string[];
  };
  /** Too many requests. Too many requests per minute, too many at once, or too many requests with an invalid API key from one network. Wait for the time in Retry-After. details.limit says which limit you reached: rate or concurrency. */
  RATE_LIMIT_EXCEEDED: {
    /** rate or concurrency. */
    limit: "rate" | "concurrency";
    /** Milliseconds to wait. Retry-After says the same in seconds. */
    retryAfterMs: number;
  };
  /** Something went wrong on our side. The model's provider or this service failed or timed out. You were not charged unless the error includes a cost. Retry if details.retryable is true; with the same Idempotency-Key, you are never charged twice. Include requestId when you contact support. */
  INTERNAL_ERROR: {
    /** provider_unavailable, provider_timeout or internal. */
    reason: "provider_unavailable" | "provider_timeout" | "internal";
    /** true if the same request may succeed later. */
    retryable: boolean;
    /** Only if you were charged nevertheless: for the delivered part of an interrupted stream, or for a compaction without a summary. */
    cost?: {
      /** Cost of the input tokens. In USD. */
      inputCost: number;
      /** Cost of the output tokens. In USD. */
      outputCost: number;
      /** What you were charged: the exact sum of both. In USD. */
      totalCost: number;
    };
  };
  /** The payment is still being confirmed. A payment was submitted and is not confirmed yet, or its chain is unavailable. Send the same request again after Retry-After: you never pay twice. */
  SETTLEMENT_PENDING: {
    /** outcome_unknown: the payment may have been made. chain_unavailable: it could not be checked, and nothing was paid. */
    reason: "outcome_unknown" | "chain_unavailable";
  };
  /** Too many large requests right now. Too many bodies over 1 MiB were arriving at once, and there was no room for this one within a minute. You were not charged. Send the request again after Retry-After. Bodies of up to 1 MiB are not affected. */
  SERVICE_BUSY: Record<string, unknown>;
  /** The model's provider is busy. The model's provider is overloaded or limits our requests, or it failed so often that we have paused requests to it. You were not charged, and you can reuse the Idempotency-Key. You were not charged. Send the request again after Retry-After, or use another model. */
  PROVIDER_BUSY: {
    /** Always provider_busy. */
    reason: "provider_busy";
    /** Always true. */
    retryable: boolean;
    /** Milliseconds to wait. Retry-After says the same in seconds. */
    retryAfterMs: number;
  };
  /** The server is restarting. The server is restarting. Running requests finish; new ones are rejected and not charged. Send the request again after Retry-After. */
  SHUTTING_DOWN: Record<string, unknown>;
};
