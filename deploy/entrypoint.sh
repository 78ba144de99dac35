#!/bin/sh
# Starts llmdyno in a container or under a service manager. `worker` alone takes its Redis from DYNO_REDIS_URL; a
# password may come from a mounted file, as secrets do in Docker and Kubernetes. exec: signals reach dyno itself.
set -eu

if [ -n "${DYNO_REDIS_PASSWORD_FILE:-}" ]; then
  DYNO_REDIS_PASSWORD="$(cat "$DYNO_REDIS_PASSWORD_FILE")"
  export DYNO_REDIS_PASSWORD
fi

if [ "${1:-}" = worker ] && [ "$#" -eq 1 ]; then
  : "${DYNO_REDIS_URL:?set DYNO_REDIS_URL, for example redis://redis:6379}"
  set -- worker "$DYNO_REDIS_URL" --queue "${DYNO_QUEUE:-dyno}"
fi

exec dyno "$@"
