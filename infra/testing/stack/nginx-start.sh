#!/bin/sh
set -eu
resolver=$(awk '$1 == "nameserver" { print $2; exit }' /etc/resolv.conf)
sed "s/resolver 127.0.0.11/resolver $resolver/" /etc/nginx/nginx.conf >/tmp/nginx.conf
exec nginx -c /tmp/nginx.conf -g 'daemon off;'
