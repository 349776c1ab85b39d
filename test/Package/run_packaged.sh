#!/bin/bash
# run_packaged.sh CMAKE BUILD ROOT EXAMPLES: what cpack makes runs where it is unpacked, and the .deb depends on the packages of all
# shared libraries that its programs load.
source "$(dirname "$0")/common.sh"

(cd "$build" && "$(dirname "$cmake")/cpack" -B "$scratch/packages") >/dev/null
mkdir "$scratch/elsewhere"
tar -xzf "$scratch"/packages/*.tar.gz -C "$scratch/elsewhere" --strip-components=1
runs "$scratch/elsewhere"

command -v dpkg-deb >/dev/null || exit 0
deb=$(echo "$scratch"/packages/*.deb)
dpkg-deb -x "$deb" "$scratch/unpacked"
diff <(cd "$scratch/elsewhere" && find . -not -type d | sort) <(cd "$scratch/unpacked/usr" && find . -not -type d | sort) ||
  fail "the packages hold different files"
runs "$scratch/unpacked/usr"
depends=", $(dpkg-deb -f "$deb" Depends),"
for program in "$scratch"/elsewhere/bin/* "$scratch"/elsewhere/lib/*.so.?; do
  needed=$(readelf -d "$program" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p')
  for library in $needed; do
    file=$(ldd "$program" | awk -v name="$library" '$1 == name { print $3 }')
    [ -n "$file" ] || continue # the loader
    # Packages name files as they are under /usr or as they were under /.
    package=$(dpkg-query -S "$(realpath "$file")" "$file" "/usr$file" 2>/dev/null | head -1 | cut -d: -f1 || true)
    [[ $depends == *", $package,"* || $depends == *", $package ("* ]] ||
      fail "$program needs $library of '$package', which is not in $depends"
  done
done
