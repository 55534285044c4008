#!/bin/sh
# Creates Pressline's user of the object store, and its bucket. The user owns this bucket and may create no other one.
# Can run again: it then sets the secret of the user, which rotates it.
# The root user comes from ADMIN_ACCESS_KEY_ID and ADMIN_SECRET_ACCESS_KEY, the server from ADMIN_ENDPOINT_URL.
set -eu

admin() { versitygw admin "$@"; }

admin create-user --access "$S3_ACCESS_KEY" --secret "$S3_SECRET_KEY" --role user ||
  admin update-user --access "$S3_ACCESS_KEY" --secret "$S3_SECRET_KEY"

admin list-buckets | grep -q "^$S3_BUCKET " ||
  admin create-bucket --owner "$S3_ACCESS_KEY" --bucket "$S3_BUCKET"
