# Makes this process known to the guardian on descriptor 5, then becomes the browser: the same process
# number, and no instant at which a browser runs that the guardian has not heard of. Without a guardian
# the write fails and no browser starts.
register() {
  start=-
  if read -r line 2>/dev/null </proc/self/stat && [ "${line%% *}" = "$$" ]; then
    set -- ${line##*) }
    start=${20}
  fi
  echo "browser $$ $start" >&5
}
register && exec "$@" 5>&-
