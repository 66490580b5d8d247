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

# Sets `parent` and `began` (start time) of process $1; fails when there is no such process.
look() {
  read -r line 2>/dev/null <"/proc/$1/stat" || return 1
  number=${line%% *}
  set -- ${line##*) }
  parent=$2 began=${20}
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

# Who may have adopted an orphan of ours: an ancestor of ours, or the first process.
adopters() {
  adopters=' 1 ' next=self
  while look "$next" && [ "$parent" -gt 0 ]; do
    adopters="$adopters$parent " next=$parent
  done
}

# Crash handlers fork twice into sessions of their own and so escape the group, and a browser that is just
# being started may not have left its number yet. With the group killed all of them are orphans. A shell reads
# byte by byte, so only young orphans are read.
others=' '
end_carriers() {
  if [ -n "$own" ]; then
    adopters
    for entry in /proc/[0-9]*; do
      other=${entry#/proc/}
      case $others in *" $other "*) continue ;; esac
      look "$other" || continue
      # Everything of this browser is younger than its guardian.
      if [ "$began" -lt "$own" ] || [ "$other" = "$$" ]; then
        others="$others$other "
        continue
      fi
      case $adopters in *" $parent "*) ;; *) continue ;; esac
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

# At least twice: a process that is just becoming another program shows an empty command line and environment for
# an instant. What still stands after three seconds is left to the sweep of the next launch.
tries=0
while [ "$tries" -lt 30 ]; do
  found=
  end_group
  # The lock last, and what a browser has written before: killed half-way, as with a whole container, we leave a folder
  # that the sweep of the next launch knows to be a dead owner's.
  rm -rf -- "$scratch/profile" "$scratch/tmp" "$scratch/downloads" "$scratch/crashes"
  rm -rf -- "$scratch"
  end_carriers
  tries=$((tries + 1))
  if [ "$tries" -gt 1 ] && [ -z "$found" ] && [ ! -e "$scratch" ]; then break; fi
  sleep 0.1 || sleep 1
done
