-- Processes of the service, each with its heartbeat.

-- Locks the row of a process, if it still has the beat that the process was judged dead by; otherwise returns false. Its next beat waits
-- until this transaction is over, so that the process finds, once it has beaten, everything gone that was freed because of its death. The
-- lock is shared, since several processes may free at once. Only beats wait for it, and they hold no other lock.
CREATE OR REPLACE FUNCTION db_lock_dead_process(process_id text, judged_beat bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM process p WHERE p.id = process_id AND p.beat = judged_beat FOR SHARE;
  RETURN FOUND;
END $$;
