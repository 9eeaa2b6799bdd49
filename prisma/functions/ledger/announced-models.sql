-- Tells customers about models: a price that changed, and a date of retirement. Each is told in the commit that stores it as told.

-- Compares what a process sells with what customers know. A model that nobody knows yet is stored without a word, except for its date. A
-- difference is stored with its time, and lasts until some process sells what customers know: while two releases run, nothing is told.
CREATE OR REPLACE FUNCTION ledger_observe_model(sold text, price text, retires date, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO announced_model AS m (model, price_version) VALUES (sold, price)
  ON CONFLICT (model) DO UPDATE SET
    new_price_version = CASE WHEN (m.price_version, m.retires_on) IS DISTINCT FROM (price, retires) THEN price END,
    new_retires_on = CASE WHEN (m.price_version, m.retires_on) IS DISTINCT FROM (price, retires) THEN retires END,
    differs_since = CASE
      WHEN (m.price_version, m.retires_on) IS NOT DISTINCT FROM (price, retires) THEN NULL
      WHEN (m.new_price_version, m.new_retires_on) IS NOT DISTINCT FROM (price, retires) THEN m.differs_since
      ELSE at END;
END $$;

-- Records an event for each account that used the model since that day.
CREATE OR REPLACE FUNCTION ledger_tell_users(used text, since date, event_type text, data jsonb, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM events_record(u.account_id, event_type, data, at) FROM model_use u WHERE u.model = used AND u.last_used_on >= since;
END $$;

-- Stores a difference that has lasted since `settled` as told, and records its events, `[{"type", "data"}]`. Returns false, with nothing
-- changed, when it is no longer there: another process told it, or some process sells something else.
CREATE OR REPLACE FUNCTION ledger_announce_model(
  sold text, known_price text, known_date date, price text, retires date, is_near boolean, settled timestamptz, events jsonb, since date,
  at timestamptz
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE announced_model m SET price_version = price, retires_on = retires,
      reminded = CASE WHEN m.retires_on IS NOT DISTINCT FROM retires THEN m.reminded ELSE is_near END,
      new_price_version = NULL, new_retires_on = NULL, differs_since = NULL
    WHERE m.model = sold AND (m.price_version, m.retires_on) IS NOT DISTINCT FROM (known_price, known_date)
      AND m.differs_since <= settled AND (m.new_price_version, m.new_retires_on) IS NOT DISTINCT FROM (price, retires);
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM ledger_tell_users(sold, since, e.value ->> 'type', e.value -> 'data', at) FROM jsonb_array_elements(events) e;
  RETURN true;
END $$;

-- Tells of a known date of retirement a second time. Returns false when that was done, or the date is another now.
CREATE OR REPLACE FUNCTION ledger_remind_of_model(sold text, retires date, data jsonb, since date, at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE announced_model m SET reminded = true WHERE m.model = sold AND m.retires_on = retires AND NOT m.reminded AND m.differs_since IS NULL;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM ledger_tell_users(sold, since, 'model.retiring', data, at);
  RETURN true;
END $$;
