-- Channels: where a client's orders come from besides the API, the orders that arrived there, and the products that they name.

CREATE TABLE channels (
  -- Ordered by time.
  id           uuid PRIMARY KEY,
  client_id    uuid NOT NULL REFERENCES accounts,
  kind         text NOT NULL CHECK (kind IN ('csv', 'sftp')),
  name         text NOT NULL,
  -- A paused channel takes no files, and its orders wait.
  state        text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused')),
  -- How the kind reads orders: for `csv` the columns of its files.
  settings     jsonb NOT NULL DEFAULT '{}',
  -- Address, user, folder and host key of an SFTP server, and its sealed password or key.
  sftp         jsonb,
  sftp_secret  text,
  -- Size and time of the files that the latest run has seen there, by name.
  sftp_seen    jsonb NOT NULL DEFAULT '{}',
  -- The latest time that orders were fetched, why it failed (null: it did not), and the failures in a row.
  last_run_at  timestamptz,
  last_error   text,
  failures     int NOT NULL DEFAULT 0,
  -- Up to when the orders were read whose parcels are reported to the channel.
  reported_until timestamptz NOT NULL DEFAULT now(),
  created_at   timestamptz NOT NULL DEFAULT now(),
  UNIQUE (client_id, name),
  CHECK (sftp IS NULL OR kind = 'sftp')
);

-- Files of orders. The content is in the object store.
CREATE TABLE channel_files (
  id          uuid PRIMARY KEY,
  channel_id  uuid NOT NULL REFERENCES channels,
  name        text NOT NULL,
  sha256      bytea NOT NULL,
  size_bytes  int NOT NULL,
  -- A dry run is read and checked, and stores no orders.
  dry_run     boolean NOT NULL,
  -- Null: the content is deleted.
  object_key  text,
  -- `received`: it waits to be read. `read`: its orders are stored, or checked. `refused`: it is not read as a whole.
  state       text NOT NULL DEFAULT 'received' CHECK (state IN ('received', 'read', 'refused')),
  -- Numbers of rows and orders. Of a dry run also how many orders would be submitted, would wait or are known.
  counts      jsonb NOT NULL DEFAULT '{}',
  -- Why it was refused, or what a dry run found: the first findings, with their lines.
  findings    jsonb NOT NULL DEFAULT '[]',
  -- The channel was told that the file is refused.
  is_reported boolean NOT NULL DEFAULT false,
  created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX channel_files_channel ON channel_files (channel_id, id DESC);
-- The same file creates nothing more. A refused one can be sent again, after the columns of the channel have changed.
CREATE UNIQUE INDEX channel_files_content ON channel_files (channel_id, sha256) WHERE NOT dry_run AND state <> 'refused';
CREATE INDEX channel_files_received ON channel_files (channel_id, id) WHERE state = 'received';
CREATE INDEX channel_files_kept ON channel_files (created_at) WHERE object_key IS NOT NULL;

-- Orders as they arrived: one row for each revision of an order, and for each different content under one revision.
CREATE TABLE channel_orders (
  -- Ordered by time.
  id              uuid PRIMARY KEY,
  channel_id      uuid NOT NULL REFERENCES channels,
  client_id       uuid NOT NULL,
  file_id         uuid REFERENCES channel_files,
  external_id     text NOT NULL,
  -- 0: the channel has no revisions.
  revision        bigint NOT NULL,
  -- Of `raw` without its lines. Null: erased.
  content_sha256  bytea,
  raw             jsonb NOT NULL,
  -- Fields that replace those of `raw`. Null: none was corrected.
  corrections     jsonb,
  state           text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'submitted', 'ignored')),
  -- When it was mapped and submitted, or was not. Null: it will be.
  judged_at       timestamptz,
  -- Why it waits or is ignored, or what could not be changed any more.
  reasons         jsonb NOT NULL DEFAULT '[]',
  -- Keys of the product mappings that it waits for.
  waits_for       text[],
  -- E-mail address of the recipient of an order that waits, in lower case.
  email           text,
  -- The order that it became or changed. No foreign key: the order may be in the archive.
  order_id        uuid,
  -- The channel was told why the order waits.
  is_reported     boolean NOT NULL DEFAULT false,
  -- Tracking codes of the order that the channel was told. Of the first row with the order.
  reported_parcels text[] NOT NULL DEFAULT '{}',
  received_at     timestamptz NOT NULL DEFAULT now(),
  UNIQUE (channel_id, external_id, revision, content_sha256)
);
CREATE UNIQUE INDEX channel_orders_submitted ON channel_orders (channel_id, external_id, revision) WHERE state = 'submitted';
CREATE INDEX channel_orders_to_judge ON channel_orders (channel_id, id) WHERE state = 'waiting' AND judged_at IS NULL;
-- Pages of one state: of a channel, of a client, and of all clients.
CREATE INDEX channel_orders_channel ON channel_orders (channel_id, state, id DESC);
CREATE INDEX channel_orders_client ON channel_orders (client_id, state, id DESC);
CREATE INDEX channel_orders_state ON channel_orders (state, id DESC);
CREATE INDEX channel_orders_reasons ON channel_orders USING gin (reasons jsonb_path_ops) WHERE reasons <> '[]';
CREATE INDEX channel_orders_file ON channel_orders (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX channel_orders_order ON channel_orders (order_id) WHERE order_id IS NOT NULL;
CREATE INDEX channel_orders_recipient ON channel_orders (email) WHERE order_id IS NULL;

-- What the products of a channel's orders are here.
CREATE TABLE channel_mappings (
  id           uuid PRIMARY KEY,
  channel_id   uuid NOT NULL REFERENCES channels,
  -- `variant:` and the id of the variant in the channel, or `sku:` and the SKU.
  external_key text NOT NULL,
  target       jsonb NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  UNIQUE (channel_id, external_key)
);
