-- Events about payments that a linked wallet made, or that came with a key, for their owner. A wallet without an account hears nothing
-- here: its answer is the request's.

CREATE OR REPLACE FUNCTION payments_tell() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  account text := coalesce(NEW.account_id, access_owner_of(CASE WHEN NEW.network LIKE 'solana:%' THEN 'solana' ELSE 'evm' END, NEW.payer));
BEGIN
  IF account IS NULL THEN RETURN NULL; END IF;
  PERFORM events_record(account, CASE NEW.state WHEN 'paid' THEN 'payment.completed' ELSE 'payment.failed' END,
    jsonb_build_object('paymentId', NEW.id, 'network', NEW.network, 'payer', NEW.payer, 'amount', NEW.amount::text, 'transaction', NEW.transaction,
      'reason', CASE NEW.state WHEN 'paid' THEN NULL WHEN 'reversed' THEN 'reversed' ELSE NEW.failure END),
    CASE NEW.state WHEN 'paid' THEN NEW.paid_at ELSE clock_timestamp() END);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER payment_ended AFTER UPDATE OF state ON payment_claim
  FOR EACH ROW WHEN (NEW.state <> OLD.state AND NEW.state IN ('paid', 'failed', 'reversed')) EXECUTE FUNCTION payments_tell();
