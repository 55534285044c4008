-- Links that sign an operator in once. The token of the link is stored as a hash.
CREATE TABLE one_time_sign_ins (
  token_hash  bytea PRIMARY KEY,
  account_id  uuid NOT NULL REFERENCES accounts,
  expires_at  timestamptz NOT NULL
);
CREATE INDEX one_time_sign_ins_expiry ON one_time_sign_ins (expires_at);
