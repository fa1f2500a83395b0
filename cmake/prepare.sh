# Sourced by quickstart.sh and check.sh: installs missing packages. Usage: need PACKAGE...
# Only on Debian and derived distributions; elsewhere it prints what to install.

say() { printf '%s\n' "$*" >&2; }

installed() {
  dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'
}

need() {
  missing=
  for package; do
    installed "$package" || missing="$missing $package"
  done
  [ -z "$missing" ] && return 0
  if ! command -v apt-get >/dev/null 2>&1; then
    say "Please install what these Debian packages hold:$missing"
    return 1
  fi
  if [ "$(id -u)" = 0 ]; then
    root=
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    root='sudo -n'
  else
    say "Please install, as root:  apt-get install -y --no-install-recommends$missing"
    return 1
  fi
  say "installing:$missing"
  log=$(mktemp)
  if ! { DEBIAN_FRONTEND=noninteractive $root apt-get update &&
         DEBIAN_FRONTEND=noninteractive $root apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    say "installation failed; please install:$missing"
    return 1
  fi
  rm -f "$log"
}

need_to_build() {
  need gcc libc6-dev cmake ninja-build libcjson-dev libcairo2-dev libmetis-dev "$@"
}

# Copies standard input to a file, and the `[3/100]` of Ninja to a terminal, all in one line.
show_progress() {
  if ! [ -t 2 ]; then
    cat >"$1"
    return
  fi
  tee "$1" | while IFS= read -r line; do
    case $line in
    '['[0-9]*/*']'*) printf '\r  %s  ' "${line%%]*}]" >&2 ;;
    esac
  done
  printf '\r\033[K' >&2
}

# build PRESET [OPTION...]: configures and builds it. A terminal shows the progress of the build; what the
# tools print is shown if something fails.
build() {
  preset=$1
  shift
  log=$(mktemp)
  { cmake --preset "$preset" -G Ninja "$@" && cmake --build --preset "$preset" || echo failed >"$log.failed"; } 2>&1 |
    show_progress "$log"
  if [ -e "$log.failed" ]; then
    rm -f "$log.failed"
    cat "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}
