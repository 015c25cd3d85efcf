# Waits until the test process that started it is gone, however it went: its end of the pipe closes, and standard input ends.
# Then tidies up what is left in that process's folder, the one argument, and removes it. Each service has a folder in it, with a
# file "process" while it runs, which names the signal that ends it at once and its number. Other work is a script, "tidy".
trap '' HUP INT TERM
cat >/dev/null
root=$1

works_here() {
  case $(readlink "/proc/$1/cwd" 2>/dev/null) in "$root"/*) return 0 ;; *) return 1 ;; esac
}

# A process that got the number of one that ended is told apart by where it works. Where /proc does not exist, the number has
# to be proof enough.
is_ours() {
  kill -0 "$1" 2>/dev/null && { [ ! -e /proc/self/cwd ] || works_here "$1"; }
}

for script in "$root"/*/tidy; do
  [ -f "$script" ] && timeout 60 sh "$script" >/dev/null 2>&1
done
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
done
# What did not obey, and what was about to become a service.
for process in /proc/[0-9]*; do
  pid=${process#/proc/}
  works_here "$pid" && kill -s KILL "$pid"
done
rm -rf -- "$root" || { sleep 1 && rm -rf -- "$root"; }
