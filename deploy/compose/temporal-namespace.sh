#!/bin/sh
# Creates the namespace of Pressline when the Temporal server responds. Can run again.
# The address comes from TEMPORAL_ADDRESS, the namespace from TEMPORAL_NAMESPACE.
set -eu

attempt=0
until temporal operator cluster health; do
  attempt=$((attempt + 1))
  if [ "$attempt" -ge 30 ]; then
    echo 'Temporal did not become healthy within a minute' >&2
    exit 1
  fi
  sleep 2
done

temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$NAMESPACE_RETENTION"
