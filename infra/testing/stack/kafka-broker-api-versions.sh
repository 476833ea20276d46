#!/bin/sh
exec node /opt/kafka/bin/kafka-broker-api-versions.mjs "$@"
