-- Operators that sign in by OpenID Connect, by the identifier of the user at the provider.
CREATE TABLE operator_identities (
  issuer      text NOT NULL,
  subject     text NOT NULL,
  account_id  uuid NOT NULL UNIQUE REFERENCES accounts,
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (issuer, subject)
);

-- Hashes of the `state` values of sign-ins that came back from the provider, so that each is used once.
CREATE TABLE used_sign_in_states (
  state_hash  bytea PRIMARY KEY,
  expires_at  timestamptz NOT NULL
);
CREATE INDEX used_sign_in_states_expiry ON used_sign_in_states (expires_at);
