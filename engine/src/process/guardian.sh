# Ends a browser and removes its scratch folder ($1) when the host has vanished.
#
# The host holds the only write end of standard input and says on it:
#   gone   the browser's process has ended; its number may soon belong to another one
#   done   the host has cleaned up itself
# The end of input without `done` means that the host is gone, however it went. Nothing here may wait for the
# browser's side: a process of it can be stopped at any instant.
# Shell built-ins only, and rm, sleep and (where there is no /proc) ps from fixed folders.

unset ENGINE_GUARDIAN
trap '' HUP INT QUIT TERM
PATH=/bin:/usr/bin:/run/current-system/sw/bin
cd /
scratch=$1 gone=
case $scratch in */engine-*) ;; *) exit 2 ;; esac

while read -r word; do
  case $word in
    gone) gone=1 ;;
    done) exit 0 ;;
  esac
done

# Sets `began` to the start time of process $1; fails when there is no such process.
look() {
  read -r line 2>/dev/null <"/proc/$1/stat" || return 1
  number=${line%% *}
  set -- ${line##*) }
  began=${20}
}

# Our own start time, unless there is no /proc or it shows another process namespace.
own=
if look self && [ "$number" = "$$" ]; then own=$began; fi

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

# The browser's first process has left its number and start time in the scratch folder.
pid= start=
end_group() {
  if [ -z "$pid" ]; then read -r pid start 2>/dev/null <"$scratch/browser"; fi
  if [ -n "$gone" ] || [ -z "$start" ]; then return 0; fi
  # A different start time: the browser is gone and its number is in use again.
  if [ "$start" != - ] && look "$pid" && [ "$began" != "$start" ]; then
    gone=1
    return 0
  fi
  kill -s KILL -- "-$pid"
}

# Crash handlers fork twice into sessions of their own and so escape the group, and a browser that is just
# being started may not have left its number yet.
end_carriers() {
  if [ -n "$own" ]; then
    for entry in /proc/[0-9]*; do
      other=${entry#/proc/}
      if [ "$other" = "$$" ]; then continue; fi
      look "$other" || continue
      # Everything of this browser is younger than its guardian. This also spares reading the rest.
      [ "$began" -ge "$own" ] || continue
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

# Twice in a row nothing: a process that is just becoming another program shows an empty command line and
# environment for an instant. What still stands after three seconds is left to the sweep of the next launch.
quiet=0
tries=0
while [ "$quiet" -lt 2 ] && [ "$tries" -lt 30 ]; do
  found=
  end_group
  end_carriers
  rm -rf -- "$scratch"
  if [ -z "$found" ] && [ ! -e "$scratch" ]; then quiet=$((quiet + 1)); else quiet=0; fi
  tries=$((tries + 1))
  sleep 0.1 || sleep 1
done
