-- Notes of operators on orders. Clients and partners do not see them.
CREATE TABLE order_notes (
  -- Ordered by time.
  id           uuid PRIMARY KEY,
  order_id     uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  author_id    uuid NOT NULL,
  author_name  text NOT NULL,
  text         text NOT NULL CHECK (char_length(text) <= 2000),
  created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX order_notes_order ON order_notes (order_id, id DESC);
