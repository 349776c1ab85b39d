#!/bin/bash
# run_installed.sh CMAKE BUILD ROOT EXAMPLES: an installed tree, moved to another folder, runs, and a project outside of this one is
# built against it with CMake and with pkg-config, in C and C++.
source "$(dirname "$0")/common.sh"

"$cmake" --install "$build" --prefix "$scratch/prefix" --strip >/dev/null
mv "$scratch/prefix" "$scratch/moved here"
tree="$scratch/moved here"
runs "$tree"
if grep -rIlF -e "$build" -e "$root" -e "$scratch/prefix" "$tree"; then
  fail "these files name a folder of the build"
fi
for file in "$tree"/bin/* "$tree"/lib/*.so; do
  path=$(readelf -d "$file" | sed -nE 's/.*R(UN)?PATH.*\[(.*)\]/\2/p')
  [[ $path != *"$build"* && $path != *"$scratch"* ]] || fail "$file looks for libraries in $path"
done

# The manual and completions are those of this teenyc. (The runtime alone has none.)
if [ -e "$tree/bin/teenyc" ]; then
  "$tree/bin/teenyc" man | cmp - "$tree/share/man/man1/teenyc.1"
  "$tree/bin/teenyc" completion bash | cmp - "$tree/share/bash-completion/completions/teenyc"
  "$tree/bin/teenyc" completion zsh | cmp - "$tree/share/zsh/site-functions/_teenyc"
fi

"$cmake" -G Ninja -S "$(dirname "$0")/outside" -B "$scratch/outside" "-DCMAKE_PREFIX_PATH=$tree" -DCMAKE_BUILD_TYPE=Release \
  "-DSOURCE=$examples/readme_example.c" >/dev/null
"$cmake" --build "$scratch/outside" >/dev/null
prints "out[0] = 3" "$scratch/outside/outside" "$bundle"

export PKG_CONFIG_PATH="$tree/lib/pkgconfig"
[ "$(pkg-config --modversion teeny)" = 0.1.0 ] || fail "pkg-config finds another version"
eval "c++ -std=c++17 -Wall -Wextra -Werror '$examples/readme_example.cpp' -o $scratch/program $(pkg-config --cflags --libs teeny)"
prints "out[0] = 3" env LD_LIBRARY_PATH="$tree/lib" "$scratch/program" "$bundle"
