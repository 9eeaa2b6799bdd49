-- events: the row of an endpoint says when it is to be looked after next, and needs no queue beside it.

ALTER TABLE endpoint ADD COLUMN due_at timestamptz;
CREATE INDEX endpoint_due_at_idx ON endpoint (due_at) WHERE served_by IS NULL;
-- Samples, which have no number, are sent first.
DROP INDEX delivery_endpoint_id_sequence_idx;
CREATE INDEX delivery_endpoint_id_sequence_idx ON delivery (endpoint_id, sequence NULLS FIRST) WHERE state = 'pending';
CREATE INDEX delivery_endpoint_id_try_at_idx ON delivery (endpoint_id, try_at) WHERE state = 'pending';

UPDATE endpoint p SET due_at = w.try_at
  FROM (SELECT d.endpoint_id, min(d.try_at) AS try_at FROM delivery d WHERE d.state = 'pending' GROUP BY d.endpoint_id) w
  WHERE w.endpoint_id = p.id;

DROP SCHEMA IF EXISTS queue CASCADE;
