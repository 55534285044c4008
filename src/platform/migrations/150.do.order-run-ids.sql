-- The run that wrote the rows last: a reset, continued or restarted order workflow has another run id. Null before the first
-- record of this version.
ALTER TABLE orders ADD COLUMN run_id text;

-- The step that handled a postback. Null for unhandled ones, and for those that older versions handled.
ALTER TABLE postbacks
  ADD COLUMN run_position bigint,
  ADD COLUMN run_version  bigint;
