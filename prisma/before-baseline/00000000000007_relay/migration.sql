-- relay: transactions of ours on their way into a chain. What is stored here was signed; nothing is sent that is not stored.

-- Who sends with nonces, and the next one.
CREATE TABLE relay_sender (
  chain text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  next_nonce integer NOT NULL CHECK (next_nonce >= 0),
  -- Why nothing is stored and nothing is sent until an operator has looked: nonce_ahead | nonce_behind
  fault text COLLATE "C",
  -- The chain's head when mined transactions were last held against it: while it is on the chain, none of them has left it.
  seen_block integer,
  seen_hash text COLLATE "C",
  PRIMARY KEY (chain, address)
);

CREATE TABLE relayed (
  -- Given by whoever stores it; one id is one transaction, for ever.
  id text COLLATE "C" PRIMARY KEY,
  -- base | solana
  chain text COLLATE "C" NOT NULL CHECK (chain IN ('base', 'solana')),
  -- Who pays for it.
  sender text COLLATE "C" NOT NULL,
  -- What a raised fee is signed for again; Solana has none of the four.
  nonce integer CHECK (nonce >= 0),
  receiver text COLLATE "C",
  input bytea,
  gas bigint CHECK (gas > 0),
  -- The last block height at which Solana may run it, and a slot before which it is in no block.
  last_valid_height bigint,
  signed_slot bigint,
  -- stored | sent | succeeded | failed (in a block, without effect) | lost (it can never be in one)
  state text COLLATE "C" NOT NULL CHECK (state IN ('stored', 'sent', 'succeeded', 'failed', 'lost')),
  -- Nothing about it changes any more.
  finalized boolean NOT NULL DEFAULT false,
  -- In a block: the hash that is there. Before: that of the bytes signed last. Solana calls it the signature.
  hash text COLLATE "C" NOT NULL,
  -- Solana: its slot, and no hash.
  block integer,
  block_hash text COLLATE "C",
  -- wei or lamports, once it is in a block
  fee numeric(78, 0) CHECK (fee >= 0),
  -- Its block was held against the chain since it was seen there.
  checked boolean NOT NULL DEFAULT false,
  -- Why no node takes it: no_gas_money, or a node's own words.
  problem text COLLATE "C",
  stored_at timestamptz NOT NULL,
  -- When its bytes were sent last, and since when the nodes have those that were signed last.
  sent_at timestamptz,
  taken_at timestamptz,
  CHECK ((state IN ('succeeded', 'failed')) = (block IS NOT NULL)),
  CHECK (NOT finalized OR state IN ('succeeded', 'failed', 'lost')),
  CHECK (finalized OR state <> 'lost'),
  CHECK ((chain = 'base') = (nonce IS NOT NULL AND receiver IS NOT NULL AND input IS NOT NULL AND gas IS NOT NULL)),
  CHECK ((chain = 'solana') = (last_valid_height IS NOT NULL AND signed_slot IS NOT NULL))
);
CREATE UNIQUE INDEX relayed_chain_sender_nonce_key ON relayed (chain, sender, nonce);
CREATE INDEX relayed_finalized_chain_state_nonce_idx ON relayed (finalized, chain, state, nonce);

-- All bytes that were ever signed for it: any of them may be the one that comes into a block.
CREATE TABLE relay_broadcast (
  hash text COLLATE "C" PRIMARY KEY,
  relayed_id text COLLATE "C" NOT NULL REFERENCES relayed (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
  raw bytea NOT NULL,
  -- wei a unit of gas; Solana has none
  max_fee numeric(78, 0),
  max_priority_fee numeric(78, 0),
  signed_at timestamptz NOT NULL
);
CREATE INDEX relay_broadcast_relayed_id_signed_at_idx ON relay_broadcast (relayed_id, signed_at);

-- What is signed is never changed: after a crash the very same bytes are sent again.
CREATE FUNCTION relay_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% keeps what was signed and is never changed', TG_TABLE_NAME;
END $$;
CREATE TRIGGER relay_broadcast_immutable BEFORE UPDATE OR DELETE ON relay_broadcast FOR EACH ROW EXECUTE FUNCTION relay_refuse_change();

-- The lowest nonce of a sender that is not final yet; the next one when all are. The chain's own is never lower.
CREATE FUNCTION relay_least_open(on_chain text, by_sender text) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT coalesce(
    (SELECT min(lowest.nonce) FROM unnest(ARRAY['stored', 'sent', 'succeeded', 'failed']) AS open_state(state)
      CROSS JOIN LATERAL (
        SELECT r.nonce FROM relayed r
        WHERE r.finalized = false AND r.chain = on_chain AND r.state = open_state.state AND r.sender = by_sender
        ORDER BY r.nonce LIMIT 1
      ) AS lowest),
    (SELECT s.next_nonce FROM relay_sender s WHERE s.chain = on_chain AND s.address = by_sender))
$$;

-- The next nonce of a sender, who is opened with the chain's own. Nobody else is given one until the caller's transaction ends.
-- With `known_hash`: the id has a transaction already.
CREATE FUNCTION relay_begin_call(call_id text, on_chain text, by_sender text, chain_nonce integer)
RETURNS TABLE (nonce integer, least_open integer, fault text, known_hash text) LANGUAGE plpgsql ROWS 1 AS $$
#variable_conflict use_column
BEGIN
  INSERT INTO relay_sender (chain, address, next_nonce) VALUES (on_chain, by_sender, chain_nonce) ON CONFLICT (chain, address) DO NOTHING;
  PERFORM 1 FROM relay_sender s WHERE s.chain = on_chain AND s.address = by_sender FOR UPDATE;
  -- A statement of its own: it sees what whoever had the lock before has committed.
  RETURN QUERY
    SELECT coalesce(r.nonce, s.next_nonce), relay_least_open(on_chain, by_sender), s.fault, r.hash
    FROM relay_sender s LEFT JOIN relayed r ON r.id = call_id
    WHERE s.chain = on_chain AND s.address = by_sender;
END $$;

-- Stores a signed call and takes its nonce, both or neither.
CREATE FUNCTION relay_store_call(
  call_id text, on_chain text, by_sender text, of_nonce integer, to_receiver text, with_input bytea, with_gas bigint,
  signed_hash text, signed_raw bytea, signed_max_fee numeric, signed_max_priority_fee numeric, at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE relay_sender s SET next_nonce = of_nonce + 1 WHERE s.chain = on_chain AND s.address = by_sender AND s.next_nonce = of_nonce;
  IF NOT FOUND THEN RAISE EXCEPTION 'the nonce % of % is not the next one', of_nonce, by_sender; END IF;
  INSERT INTO relayed (id, chain, sender, nonce, receiver, input, gas, state, hash, stored_at)
    VALUES (call_id, on_chain, by_sender, of_nonce, to_receiver, with_input, with_gas, 'stored', signed_hash, at);
  INSERT INTO relay_broadcast (hash, relayed_id, raw, max_fee, max_priority_fee, signed_at)
    VALUES (signed_hash, call_id, signed_raw, signed_max_fee, signed_max_priority_fee, at);
END $$;

-- Stores a signed Solana transaction. Returns the signature that counts for the id: that of the first one.
CREATE FUNCTION relay_store_signed(
  signed_id text, by_sender text, signature text, signed_raw bytea, valid_height bigint, slot bigint, at timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO relayed (id, chain, sender, last_valid_height, signed_slot, state, hash, stored_at)
    VALUES (signed_id, 'solana', by_sender, valid_height, slot, 'stored', signature, at)
    ON CONFLICT (id) DO NOTHING;
  IF FOUND THEN
    INSERT INTO relay_broadcast (hash, relayed_id, raw, signed_at) VALUES (signature, signed_id, signed_raw, at);
  END IF;
  RETURN (SELECT r.hash FROM relayed r WHERE r.id = signed_id);
END $$;

-- Stores bytes with raised fees for a call that still waits. False, and nothing is written, when it waits no longer or `known_hash`
-- are not the bytes that were signed last.
CREATE FUNCTION relay_store_raised(
  call_id text, known_hash text, signed_hash text, signed_raw bytea, signed_max_fee numeric, signed_max_priority_fee numeric, at timestamptz
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE relayed r SET hash = signed_hash, sent_at = NULL, taken_at = NULL WHERE r.id = call_id AND r.state IN ('stored', 'sent') AND r.hash = known_hash;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO relay_broadcast (hash, relayed_id, raw, max_fee, max_priority_fee, signed_at)
    VALUES (signed_hash, call_id, signed_raw, signed_max_fee, signed_max_priority_fee, at);
  RETURN true;
END $$;

-- A node was given the bytes: it took them, or had a problem with them. The moment counts either way. True when that is news.
CREATE FUNCTION relay_note_sent(sent_id text, sent_hash text, is_taken boolean, its_problem text, at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  before relayed;
BEGIN
  SELECT * INTO before FROM relayed r WHERE r.id = sent_id AND r.hash = sent_hash AND r.state IN ('stored', 'sent') FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE relayed r SET state = CASE WHEN is_taken THEN 'sent' ELSE r.state END, problem = its_problem, sent_at = at,
      taken_at = CASE WHEN is_taken THEN coalesce(r.taken_at, at) ELSE r.taken_at END
    WHERE r.id = sent_id;
  IF (before.state = 'stored' AND is_taken) OR before.problem IS DISTINCT FROM its_problem THEN
    PERFORM pg_notify('relayed', sent_id);
    RETURN true;
  END IF;
  RETURN false;
END $$;

-- It is in a block, as far as a node says. True when that is news.
CREATE FUNCTION relay_note_mined(
  mined_id text, mined_hash text, is_success boolean, in_block integer, in_block_hash text, paid_fee numeric
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE relayed r SET state = CASE WHEN is_success THEN 'succeeded' ELSE 'failed' END, hash = mined_hash, block = in_block,
      block_hash = in_block_hash, fee = paid_fee, checked = false, problem = NULL
    WHERE r.id = mined_id AND NOT r.finalized
      AND EXISTS (SELECT 1 FROM relay_broadcast b WHERE b.relayed_id = mined_id AND b.hash = mined_hash)
      AND (r.state, r.hash, r.block, r.block_hash)
        IS DISTINCT FROM (CASE WHEN is_success THEN 'succeeded' ELSE 'failed' END, mined_hash, in_block, in_block_hash);
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM pg_notify('relayed', mined_id);
  RETURN true;
END $$;

-- The block that it was in has left the chain: it waits again, and its bytes are sent at once.
CREATE FUNCTION relay_note_unmined(gone_id text, known_block integer, known_block_hash text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE relayed r SET state = 'sent', block = NULL, block_hash = NULL, fee = NULL, checked = false, sent_at = NULL, taken_at = NULL,
      hash = (SELECT b.hash FROM relay_broadcast b WHERE b.relayed_id = gone_id ORDER BY b.max_fee DESC NULLS LAST, b.signed_at DESC LIMIT 1)
    WHERE r.id = gone_id AND NOT r.finalized AND r.block = known_block AND r.block_hash IS NOT DISTINCT FROM known_block_hash;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM pg_notify('relayed', gone_id);
  RETURN true;
END $$;

-- Its block is final, and it was seen there a second time.
CREATE FUNCTION relay_note_final(final_id text, known_block integer, known_block_hash text, paid_fee numeric) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE relayed r SET finalized = true, checked = true, fee = coalesce(paid_fee, r.fee)
    WHERE r.id = final_id AND NOT r.finalized AND r.block = known_block AND r.block_hash IS NOT DISTINCT FROM known_block_hash;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM pg_notify('relayed', final_id);
  RETURN true;
END $$;

-- None of its bytes can ever run.
CREATE FUNCTION relay_note_lost(lost_id text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE relayed r SET state = 'lost', finalized = true, problem = NULL WHERE r.id = lost_id AND r.state IN ('stored', 'sent');
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM pg_notify('relayed', lost_id);
  RETURN true;
END $$;
