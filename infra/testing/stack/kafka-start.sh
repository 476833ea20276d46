#!/bin/sh
# Starts a broker with the settings of its KAFKA_ variables, as the official image does: A_B is a.b, A__B is a_b.
set -eu
properties=/opt/kafka/config/server.properties
env | grep '^KAFKA_' | grep -v '^KAFKA_HEAP_OPTS=' | while IFS= read -r line; do
  name=$(printf %s "${line%%=*}" | sed 's/^KAFKA_//; s/__/\r/g; s/_/./g; s/\r/_/g' | tr 'A-Z' 'a-z')
  printf '%s=%s\n' "$name" "${line#*=}"
done >"$properties"
# The second compiler of the JVM would use more of the processor than it saves within minutes.
java -XX:TieredStopAtLevel=1 -cp '/opt/kafka/libs/*' kafka.tools.StorageTool format --ignore-formatted -t "$CLUSTER_ID" -c "$properties"
# shellcheck disable=SC2086
exec java -XX:TieredStopAtLevel=1 ${KAFKA_HEAP_OPTS:-} -cp '/opt/kafka/libs/*' kafka.Kafka "$properties"
