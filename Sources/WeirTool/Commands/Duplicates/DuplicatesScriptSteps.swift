// The shell functions with which every script begins.

extension DuplicatesScript {
  static let steps = #"""
    #!/bin/sh
    # Printed by weir duplicates. Each step compares two files again, and leaves what has changed.
    # Needs the GNU tools. Exit status: 0 all is done, 1 a file was left as it is, 2 failure.
    LC_ALL=C action= keep= count=0 live= changes= folders=0 status=0 newline='
    '
    export LC_ALL
    trap 'echo "weir: the script is incomplete" >&2; exit 2' 0

    # Steps are collected, and sixteen are done at a time: $keep_1 and $name_1 are the first pair.
    keep() { keep=$1; }
    delete() { add delete "$1"; }
    link() { add link "$1"; }
    reflink() { add reflink "$1"; }
    add() {
      [ "$action" = "$1" ] && [ "$count" -lt 16 ] || work
      action=$1 count=$((count + 1))
      eval "keep_$count=\$keep name_$count=\$2 new_$count="
    }
    say() {
      printf '%s\n' "$(printf 'weir: %s: %s' "$1" "$2" | tr '\001-\037\177' '?')" >&2
      status=1
      return 1
    }
    leave() { say "$1" "$2; left as it is"; }

    # Reads a pair, calls a function for each live pair, and keeps those alive for which it succeeds.
    pair() { eval "kept=\$keep_$1 name=\$name_$1 new=\$new_$1 seen=\$seen_$1 was=\$was_$1"; }
    each() {
      rest=
      for n in $live; do
        pair "$n"
        "$1" && rest="$rest $n"
      done
      live=$rest
    }
    # Prints the device, inode, type, mode and owner, size and time, and time of change of files.
    state() { stat -c '%d|%i|%f,%u,%g|%s,%.9Y|%.9Z' "$@" 2>/dev/null; }
    # Sets $seen_1 to the states of $keep_1 and of $name_1 or $new_1, and so on.
    look() {
      second=$1
      set --
      for n in $live; do eval "set -- \"\$@\" \"\$keep_$n\" \"\$${second}_$n\""; done
      if [ $# -gt 0 ] && seen=$(state "$@"); then set -- $seen; else set --; fi
      for n in $live; do
        if [ $# -gt 1 ]; then
          eval "seen_$n=\"$1 $2\""
          shift 2
        else
          eval "seen_$n=\"\$(state \"\$keep_$n\") \$(state \"\$${second}_$n\")\""
        fi
      done
    }
    split() {
      content=${1%|*} access=${1#*|*|} inode=${1#*|}
      content=${content##*|} access=${access%%|*} inode=${inode%%|*}
    }
    is_file() { [ -f "$1" ] && [ ! -L "$1" ]; }
    is_free() { [ ! -e "$1" ] && [ ! -L "$1" ]; }
    is_gone() {
      is_free "$1" && [ -d "${1%/*}/." ] || return 1
      case $(stat "$1" 2>&1) in *': No such file or directory') ;; *) return 1 ;; esac
    }

    work() {
      live= n=0
      while [ "$n" -lt "$count" ]; do
        n=$((n + 1))
        live="$live $n"
      done
      each is_due
      look name
      remember_times
      each is_equal
      look name
      each is_unchanged
      if [ "$action" = delete ]; then
        each hide
        look new
        each is_hidden
        set --
        for n in $live; do eval "set -- \"\$@\" \"\$new_$n\""; done
        [ $# = 0 ] || rm -f "$@"
        each is_removed
      else
        each make
        if [ "$action" = reflink ]; then
          look new
          each keeps_status
          keep_flags
        fi
        look name
        each is_unchanged
        each replace
      fi
      restore_times
      count=0 live=
    }
    is_due() {
      if [ "$action" = delete ] && is_gone "$name"; then return 1
      elif ! is_file "$kept"; then leave "$name" 'the file to keep is gone, a link or out of reach'
      elif ! is_file "$name"; then leave "$name" 'is gone, no regular file or out of reach'
      elif ! [ "$kept" -ef "$name" ]; then return 0
      elif [ "$action" = link ]; then return 1
      else leave "$name" 'is the file to keep, by another name'
      fi
    }
    is_equal() {
      eval "was_$n=\$seen"
      set -- $seen
      split "$1"
      first=$inode,$content first_access=$access
      split "$2"
      identity=$inode,$content
      if [ $# != 2 ]; then leave "$name" 'has changed or cannot be read'
      elif [ $identity = "$first" ]; then
        leave "$name" 'may be the file to keep, by another mount'
      elif [ "$action" = link ] && [ "$first_access" != "$access" ]; then
        leave "$name" 'has another owner or mode than the file to keep'
      elif [ "${first_access%%???,*}${access%%???,*}" != 88 ] || ! cmp -s "$kept" "$name"; then
        leave "$name" 'has changed or cannot be read'
      fi
    }
    take_name() {
      changes=1 new=${name%/*}/.weir-$$-$n
      is_free "$new" && eval "new_$n=\$new"
    }
    drop() {
      [ -z "$new" ] || rm -f "$new"
      eval "new_$n="
      leave "$name" "$1"
    }
    make() {
      take_name || { leave "$name" "$new is in the way"; return; }
      if [ "$action" = link ]; then cp -lT "$kept" "$new" || drop 'cannot be linked'
      else
        cp --reflink=always -T "$kept" "$new" &&
          cp --attributes-only --preserve=all -T "$name" "$new" || drop 'cannot share blocks'
      fi
    }
    keeps_status() {
      set -- $seen $was
      split "$2"
      status_of_new="$access $content"
      split "$4"
      [ "$access $content" = "$status_of_new" ] || drop 'its owner, mode or time cannot be kept'
    }
    keep_flags() {
      set --
      for n in $live; do eval "set -- \"\$@\" \"\$name_$n\" \"\$new_$n\""; done
      [ $# = 0 ] || list=$(lsattr -d "$@" 2>/dev/null)$newline
      each keeps_flags
    }
    # Takes the line of a file from the output of lsattr; a file system without flags has none.
    take_flags() {
      flags=${list%% *}
      case $list in
      "$flags $1$newline"*) list=${list#"$flags $1$newline"} ;;
      *) flags= ;;
      esac
    }
    keeps_flags() {
      command -v lsattr >/dev/null || { drop 'its flags cannot be kept without lsattr'; return; }
      take_flags "$name"
      wanted=$flags
      take_flags "$new"
      [ "$flags" != "$wanted" ] || return 0
      case $wanted in *[ai]*) drop 'is immutable'; return ;; esac
      set -- "$(printf %s "$flags" | tr -d -)" "$(printf %s "$wanted" | tr -d -)"
      [ -z "$1" ] || chattr "-$1" "$new"
      [ -z "$2" ] || chattr "+$2" "$new"
      all=$list list=$(lsattr -d "$new" 2>/dev/null)$newline
      take_flags "$new"
      list=$all
      [ "$flags" = "$wanted" ] || drop 'its flags cannot be kept'
    }
    is_unchanged() {
      set -- $seen $was
      [ $# = 4 ] && [ "${1%|*}" = "${3%|*}" ] && [ "$2" = "$4" ] ||
        drop 'has changed or cannot be read'
    }
    replace() {
      if mv -fT "$new" "$name"; then eval "new_$n="; else drop 'cannot be replaced'; fi
    }
    hide() {
      eval "was_$n=\$seen"
      take_name && mv -nT "$name" "$new" && return
      eval "new_$n="
      leave "$name" 'cannot be removed'
    }
    is_hidden() {
      set -- $seen $was
      [ $# = 4 ] && [ "$1" = "$3" ] && [ "${2%|*}" = "${4%|*}" ] || show
    }
    is_removed() { if is_free "$new"; then eval "new_$n="; else show; fi; }
    show() {
      mv -nT "$new" "$name"
      eval "new_$n="
      is_free "$new" || say "$new" "is the former $name"
      leave "$name" 'has changed or cannot be removed'
    }

    # The times of the directories, which every step changes.
    remember_times() {
      changes= folders=0
      set --
      for n in $live; do
        pair "$n"
        for folder in "$@"; do [ "$folder" != "${name%/*}/." ] || continue 2; done
        set -- "$@" "${name%/*}/."
        folders=$((folders + 1))
        eval "folder_$folders=\${name%/*}/."
      done
      [ $# = 0 ] || times=$(stat -c %.9Y "$@") || times=
    }
    restore_times() {
      [ -n "$changes" ] || return 0
      n=0
      for time in $times; do
        n=$((n + 1))
        eval "folder=\$folder_$n"
        touch -c -m -d "@$time" "$folder" || say "${folder%/.}" 'its time cannot be kept'
      done
      changes=
    }
    finish() {
      trap - 0
      exit "$status"
    }
    # A signal ends the script: names come back, and new links and clones go.
    undo() {
      n=0
      while [ "$n" -lt 16 ]; do
        n=$((n + 1))
        pair "$n"
        if [ -z "$new" ]; then :
        elif [ "$action" = delete ]; then mv -nT "$new" "$name" 2>/dev/null
        else rm -f "$new"
        fi
      done
      restore_times
    }
    trap 'undo; trap - 0; exit 130' 1 2 15
    trap 'work; echo "weir: the script is incomplete" >&2; exit 2' 0


    """#
}
