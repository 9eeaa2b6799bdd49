-- The answers that idempotency keys keep are found one by one, each by its key, and changed by their place. Joined to a batch's items, they
-- were planned for the few there are when statistics are gathered, and every batch read all of them.

-- Saves the answers of requests that carried an idempotency key. Their accounts must be locked.
-- `replies` = [{"account", "idempotency", "request", "status", "streamed", "body"}]; one without a body gives its claim back.
CREATE OR REPLACE FUNCTION gateway_save_replies(replies json) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- A failed request stores nothing: its key may be used again.
  DELETE FROM idempotent_reply r WHERE r.status IS NULL AND r.ctid = ANY (ARRAY(
    SELECT o.place FROM json_to_recordset(replies) AS i(account text, idempotency text, request text, body text)
    CROSS JOIN LATERAL (
      SELECT c.ctid AS place FROM idempotent_reply c
      WHERE c.account_id = i.account AND c.idempotency_key = i.idempotency AND c.request_id = i.request AND c.status IS NULL OFFSET 0
    ) o WHERE i.body IS NULL
  ));
  UPDATE idempotent_reply r SET status = d.status, body = d.body, streamed = d.streamed
    FROM (
      SELECT i.status, i.body, i.streamed, o.place
      FROM json_to_recordset(replies) AS i(account text, idempotency text, request text, status integer, streamed boolean, body text)
      CROSS JOIN LATERAL (
        SELECT c.ctid AS place FROM idempotent_reply c
        WHERE c.account_id = i.account AND c.idempotency_key = i.idempotency AND c.request_id = i.request AND c.status IS NULL OFFSET 0
      ) o WHERE i.body IS NOT NULL OFFSET 0
    ) d WHERE r.status IS NULL AND r.ctid = d.place;
END $$;

-- Frees expired holds and, with them, the claims of the requests that died.
CREATE OR REPLACE FUNCTION gateway_expire_holds(at timestamptz, most integer)
RETURNS TABLE (request_id text, account_id text, ceiling bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH ended AS MATERIALIZED (SELECT * FROM ledger_expire_holds(at, most)), claims AS (
    DELETE FROM idempotent_reply r WHERE r.status IS NULL AND r.ctid = ANY (ARRAY(
      SELECT o.place FROM ended e
      CROSS JOIN LATERAL (SELECT c.ctid AS place FROM idempotent_reply c WHERE c.request_id = e.request_id AND c.status IS NULL OFFSET 0) o
    ))
  )
  SELECT e.request_id, e.account_id, e.ceiling FROM ended e;
END $$;
