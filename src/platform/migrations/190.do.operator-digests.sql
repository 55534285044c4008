-- What operators' endpoints were notified of, by event and reason. `covered_until`: everything raised before was in a message.
CREATE TABLE operator_digests (
  event          text NOT NULL,
  reason         text NOT NULL,
  covered_until  timestamptz NOT NULL,
  sent_at        timestamptz NOT NULL,
  PRIMARY KEY (event, reason)
);
