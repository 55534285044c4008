-- The reasons why an order needs attention, as an array instead of space-separated text. NULL means none. The partial index
-- orders_attention is rebuilt with the column and still serves the operators' list; a filter by reason reads the few orders in it.
-- The previous release cannot write an order that needs attention until its workers are replaced; their activities retry.
ALTER TABLE orders ALTER COLUMN attention TYPE text[] USING string_to_array(nullif(attention, ''), ' ');
ALTER TABLE orders ADD CONSTRAINT orders_attention_not_empty CHECK (cardinality(attention) > 0);
