#!/bin/sh
# Starts a broker with the settings of its KAFKA_ variables, as the official image does: A_B is a.b, A__B is a_b.
set -eu
properties=/opt/kafka/config/server.properties
env | grep '^KAFKA_' | grep -v '^KAFKA_HEAP_OPTS=' | while IFS= read -r line; do
  name=$(printf %s "${line%%=*}" | sed 's/^KAFKA_//; s/__/\r/g; s/_/./g; s/\r/_/g' | tr 'A-Z' 'a-z')
  printf '%s=%s\n' "$name" "${line#*=}"
done >"$properties"
# The second compiler of the JVM, and collectors with threads, would use more of the processor than they save within minutes.
export JAVA_TOOL_OPTIONS='-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'
[ -e "$KAFKA_LOG_DIRS/meta.properties" ] ||
  java -cp '/opt/kafka/libs/*' kafka.tools.StorageTool format -t "$CLUSTER_ID" -c "$properties"
# shellcheck disable=SC2086
exec java ${KAFKA_HEAP_OPTS:-} -cp '/opt/kafka/libs/*' kafka.Kafka "$properties"
