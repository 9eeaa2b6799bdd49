-- access: down to how many tokens the output limits of a key's requests are lowered to fit balance and cap. Null: not at all.

ALTER TABLE api_key ADD COLUMN clip_min_tokens integer CHECK (clip_min_tokens > 0);
