-- reserves: what is held on the chains against what is owed, each time it was reckoned. Amounts are nano-USD.

CREATE TABLE reserve_report (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- When the books were read; the chains were read at heights of their own.
  at timestamptz NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('covered', 'deficit', 'unknown')),
  -- Why it is unknown: away | doubtful | behind | disputed | starting; and of which chain, when it is one's matter.
  reason text COLLATE "C",
  chain text COLLATE "C",
  held bigint CHECK (held >= 0),
  owed bigint,
  -- Of what is owed: the balances of customers. The rest is on its way in or out.
  customers bigint,
  -- Of these, the credits of addresses that no account has proved as its own.
  credits bigint,
  -- What customers were given that came over no chain. Only a sandbox does that.
  granted bigint,
  CONSTRAINT unknown_has_a_reason_and_no_figures CHECK (CASE state
    WHEN 'unknown' THEN reason IS NOT NULL AND num_nonnulls(held, owed, customers, credits, granted) = 0
    ELSE reason IS NULL AND chain IS NULL AND num_nulls(held, owed, customers, credits, granted) = 0 END),
  CONSTRAINT a_deficit_is_less_than_is_owed CHECK ((state = 'deficit') = (held < owed) OR state = 'unknown')
);
CREATE INDEX reserve_report_at_id_idx ON reserve_report (at, id);

-- What a report found on each chain.
CREATE TABLE reserve_holding (
  report_id bigint NOT NULL REFERENCES reserve_report (id) ON DELETE CASCADE ON UPDATE NO ACTION,
  chain text COLLATE "C" NOT NULL CHECK (chain IN ('base', 'solana')),
  -- A final block, or on Solana a final slot, which is known by no hash.
  height integer NOT NULL CHECK (height >= 0),
  block_hash text COLLATE "C",
  treasury bigint NOT NULL CHECK (treasury >= 0),
  -- At all addresses where customers ever paid in, and how many these are.
  at_addresses bigint NOT NULL CHECK (at_addresses >= 0),
  addresses integer NOT NULL CHECK (addresses >= 0),
  PRIMARY KEY (report_id, chain)
);

-- Writes a report down. report = {"state", "reason", "chain", "held", "owed", "customers", "credits", "granted"},
-- holdings = [{"chain", "height", "blockHash", "treasury", "atAddresses", "addresses"}]
CREATE FUNCTION wallets_add_reserve_report(report json, holdings json, read_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  new_id bigint;
BEGIN
  INSERT INTO reserve_report (at, state, reason, chain, held, owed, customers, credits, granted)
    SELECT read_at, r.state, r.reason, r.chain, r.held, r.owed, r.customers, r.credits, r.granted
    FROM json_to_record(report) AS r(state text, reason text, chain text, held bigint, owed bigint, customers bigint, credits bigint,
      granted bigint)
    RETURNING id INTO new_id;
  INSERT INTO reserve_holding (report_id, chain, height, block_hash, treasury, at_addresses, addresses)
    SELECT new_id, h.chain, h.height, h."blockHash", h.treasury, h."atAddresses", h.addresses
    FROM json_to_recordset(holdings)
      AS h(chain text, height integer, "blockHash" text, treasury bigint, "atAddresses" bigint, addresses integer);
  -- Two days in full; of what is older one an hour, a deficit before what is covered, and that before what is unknown. Rows are
  -- thinned as they pass the two days: what lies further back was.
  DELETE FROM reserve_report r WHERE r.id IN (
    SELECT ranked.id FROM (
      SELECT o.id, row_number() OVER (
        PARTITION BY date_trunc('hour', o.at, 'UTC')
        ORDER BY CASE o.state WHEN 'deficit' THEN 0 WHEN 'covered' THEN 1 ELSE 2 END, o.at DESC, o.id DESC) AS place
      FROM reserve_report o
      WHERE o.at < date_trunc('hour', read_at - interval '2 days', 'UTC') AND o.at >= date_trunc('hour', read_at - interval '9 days', 'UTC')
    ) AS ranked
    WHERE ranked.place > 1);
  DELETE FROM reserve_report r WHERE r.at < read_at - interval '400 days';
END $$;
