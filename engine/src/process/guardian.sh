# Ends a browser and removes its scratch folder ($1) when the host has vanished.
#
# The host holds the only write end of standard input and says on it:
#   browser PID START   sent by the browser's own process before it becomes the browser
#   gone                that process has ended; its number may soon belong to another one
#   done                the host has cleaned up itself
# The end of input without `done` means that the host is gone, however it went.
# Shell built-ins only, and rm, sleep and (where there is no /proc) ps from fixed folders.

unset ENGINE_GUARDIAN
trap '' HUP INT QUIT TERM
PATH=/bin:/usr/bin:/run/current-system/sw/bin
cd /
scratch=$1 pid= start=
case $scratch in */engine-*) ;; *) exit 2 ;; esac

while read -r word one two; do
  case $word in
    browser) pid=$one start=$two ;;
    gone) pid= ;;
    done) exit 0 ;;
  esac
done

# Sets `began` to the start time of process $1; fails when there is no such process.
look() {
  read -r line 2>/dev/null <"/proc/$1/stat" || return 1
  set -- ${line##*) }
  began=${20}
}

# Says whether text $1 names the profile or the temporary folder of this browser as a value. Someone
# else's process that merely works on a downloaded file is none of ours.
names_it() {
  case $1 in *"=$scratch/profile"* | *"=$scratch/tmp"*) return 0 ;; esac
  return 1
}

# The same for a file of the process table; `read` leaves its NUL bytes out.
carries() {
  [ -r "$1" ] || return 1
  while IFS= read -r line || [ -n "$line" ]; do
    if names_it "$line"; then return 0; fi
    line=
  done 2>/dev/null <"$1"
  return 1
}

end_group() {
  [ -n "$pid" ] || return 0
  # A different start time: the browser is gone and its number is in use again.
  if [ "$start" != - ] && look "$pid" && [ "$began" != "$start" ]; then
    pid=
    return 0
  fi
  kill -s KILL -- "-$pid"
}

# Crash handlers fork twice into sessions of their own and so escape the group.
end_carriers() {
  found=0
  if [ "$start" != - ]; then
    for entry in /proc/[0-9]*; do
      other=${entry#/proc/}
      if [ "$other" = "$$" ]; then continue; fi
      look "$other" || continue
      # Everything the browser started is younger than itself. This also spares reading the rest.
      [ "$began" -ge "$start" ] || continue
      if carries "$entry/cmdline" || carries "$entry/environ"; then
        found=1
        kill -s KILL "$other"
      fi
    done
  elif [ ! -e /proc/self/stat ]; then
    for other in $(ps -A -E -ww -o pid= -o command= | while read -r other line; do
      if names_it "$line"; then echo "$other"; fi
    done); do
      if [ "$other" = "$$" ]; then continue; fi
      found=1
      kill -s KILL "$other"
    done
  fi
}

tries=0
while :; do
  found=0
  if [ -n "$start" ]; then
    end_group
    end_carriers
  fi
  rm -rf -- "$scratch"
  if [ "$found" = 0 ] && [ ! -e "$scratch" ]; then exit 0; fi
  tries=$((tries + 1))
  # What still stands after three seconds is left to the sweep of the next launch.
  if [ "$tries" -ge 30 ]; then exit 1; fi
  sleep 0.1 || sleep 1
done
