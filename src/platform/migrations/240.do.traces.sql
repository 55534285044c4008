-- Trace context (W3C traceparent) of the code that wrote an outbox row, and of the request that submitted an order. Null without tracing.
ALTER TABLE outbox ADD COLUMN traceparent text;
ALTER TABLE orders ADD COLUMN traceparent text;
