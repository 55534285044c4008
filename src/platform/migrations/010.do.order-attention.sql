-- Orders that an operator should look at: few at any time, listed newest first.
CREATE INDEX orders_attention ON orders (created_at DESC, id DESC) WHERE attention IS NOT NULL;
