-- Events about deposits and withdrawals, for their owner: an event for each step that they wait for, in its commit, by any writer.

CREATE OR REPLACE FUNCTION wallets_tell_deposit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM events_record(NEW.account_id, 'deposit.' || CASE NEW.state WHEN 'credited' THEN 'credited' WHEN 'reversed' THEN 'reversed' ELSE 'seen' END,
    jsonb_build_object('depositId', NEW.id, 'chain', NEW.chain, 'amount', NEW.amount::text, 'address', NEW.address, 'transaction', NEW.transaction),
    CASE NEW.state WHEN 'credited' THEN NEW.credited_at WHEN 'reversed' THEN NEW.reversed_at ELSE NEW.seen_at END);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION wallets_tell_withdrawal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM events_record(NEW.account_id, CASE NEW.state WHEN 'final' THEN 'withdrawal.completed' ELSE 'withdrawal.failed' END,
    jsonb_build_object('withdrawalId', NEW.id, 'chain', NEW.chain, 'amount', NEW.amount::text, 'fee', NEW.fee::text,
      'destination', NEW.destination, 'transaction', NEW.transaction,
      'reason', CASE WHEN NEW.state <> 'final' THEN coalesce(NEW.reason, NEW.state) END), NEW.ended_at);
  RETURN NULL;
END $$;

-- The person who ordered it may not be the owner, who hears of it and can still cancel.
CREATE OR REPLACE FUNCTION wallets_tell_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM events_record(NEW.account_id, 'withdrawal.requested',
    jsonb_build_object('withdrawalId', NEW.id, 'chain', NEW.chain, 'amount', NEW.amount::text, 'fee', NEW.fee::text,
      'destination', NEW.destination, 'payFrom', NEW.pay_from), NEW.requested_at);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION wallets_tell_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM events_record(NEW.account_id, 'withdrawal.rules_changed',
    jsonb_build_object('dailyLimit', NEW.daily_limit::text, 'waitSeconds', NEW.wait_seconds, 'destinations', nullif(array_to_string(NEW.destinations, ' '), '')),
    NEW.made_at);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER withdrawal_made AFTER INSERT ON withdrawal FOR EACH ROW EXECUTE FUNCTION wallets_tell_request();
CREATE OR REPLACE TRIGGER withdrawal_rules_made AFTER INSERT ON withdrawal_rules FOR EACH ROW EXECUTE FUNCTION wallets_tell_rules();
CREATE OR REPLACE TRIGGER deposit_seen AFTER INSERT ON deposit
  FOR EACH ROW WHEN (NEW.state IN ('seen', 'confirming')) EXECUTE FUNCTION wallets_tell_deposit();
-- From seen to confirming nothing happens that an owner waits for, and a deposit below the minimum waits for the next.
CREATE OR REPLACE TRIGGER deposit_moved AFTER UPDATE OF state ON deposit
  FOR EACH ROW WHEN (NEW.state <> OLD.state AND (NEW.state IN ('credited', 'reversed') OR OLD.state = 'reversed'))
  EXECUTE FUNCTION wallets_tell_deposit();
CREATE OR REPLACE TRIGGER withdrawal_ended AFTER UPDATE OF state ON withdrawal
  FOR EACH ROW WHEN (NEW.state <> OLD.state AND NEW.state IN ('final', 'cancelled', 'refused', 'failed'))
  EXECUTE FUNCTION wallets_tell_withdrawal();
