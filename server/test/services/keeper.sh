# Waits until the test process that started it is gone, however it went: its end of the pipe closes, and standard input ends.
# Then ends what is left in that process's folder, the one argument, and removes the folder. Each service has a folder in it,
# and while it runs a file there, "process", with the signal that ends it at once and its number.
trap '' HUP INT TERM
cat >/dev/null
root=$1

# Where /proc does not exist, the number has to be proof enough. Where it does, a process that got the number of one that
# ended is told apart by where it works.
is_ours() {
  kill -0 "$1" 2>/dev/null || return 1
  [ -e /proc/self/cwd ] || return 0
  case $(readlink "/proc/$1/cwd") in "$root"/*) return 0 ;; *) return 1 ;; esac
}

for file in "$root"/*/process; do
  [ -f "$file" ] && read -r signal pid <"$file" && is_ours "$pid" || continue
  kill -s "$signal" "$pid"
  # A stopped process takes no signal but KILL.
  kill -s CONT "$pid" 2>/dev/null
  patience=50
  while [ "$patience" -gt 0 ] && is_ours "$pid"; do
    sleep 0.1
    patience=$((patience - 1))
  done
  is_ours "$pid" && kill -s KILL "$pid"
done
rm -rf -- "$root"
