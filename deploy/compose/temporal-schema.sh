#!/bin/sh
# Creates Temporal's two databases and migrates their schemas. Can run again: it changes nothing that is up to date.
# The connection comes from SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD.
set -eu

for database in temporal temporal_visibility; do
  schema="postgresql/v12/${database#temporal_}"
  temporal-sql-tool --db "$database" create-database
  temporal-sql-tool --db "$database" setup-schema --version 0.0
  temporal-sql-tool --db "$database" update-schema --schema-name "$schema"
done
