#!/usr/bin/env bash
# Tests ./mvnw: where it gets Maven from, and what it does with what it got. Takes a few seconds, and talks to 127.0.0.1 only:
# the Maven it fetches here is a made-up one, whose bin/mvn prints its arguments.
set -uo pipefail
cd "$(dirname "$0")/.."

command -v python3 >/dev/null || { echo "SKIPPED mvnw's test: no python3 to serve files with"; exit 0; }

dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$dir"' EXIT
passed=0 failed=0

check() { # what, then a command that has to succeed
    if "${@:2}"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "mvnw: FAILED: $1; last output: $(cat "$dir/out")"; fi
}
equal() { [ "$1" = "$2" ]; }

# The made-up Maven, packed in both ways, in the layout of a repository.
repository=$dir/served/org/apache/maven/apache-maven/9.9.9
mkdir -p "$repository" "$dir/apache-maven-9.9.9/bin"
printf '%s\n' '#!/bin/sh' 'echo maven 9.9.9' 'for a in "$@"; do echo "<$a>"; done' 'exit 7' >"$dir/apache-maven-9.9.9/bin/mvn"
(cd "$dir" && tar -czf "$repository/apache-maven-9.9.9-bin.tar.gz" apache-maven-9.9.9 &&
    python3 -m zipfile -c "$repository/apache-maven-9.9.9-bin.zip" apache-maven-9.9.9)

python3 -u -m http.server --bind 127.0.0.1 --directory "$dir/served" 0 >"$dir/server" 2>&1 &
server=$!
for _ in $(seq 100); do grep -qs ' port ' "$dir/server" && break; sleep 0.1; done
port=$(sed -n 's/.* port \([0-9]*\).*/\1/p' "$dir/server")

# The script in a project of its own, whose pin is the made-up one; a PATH of only the tools named.
project=$dir/project
mkdir -p "$project/.mvn/wrapper"
cp mvnw "$project/"
pin() { # base address for downloads, checksum of the zip if not the right one
    {
        echo mavenVersion=9.9.9
        echo "distributionUrl=$1/org/apache/maven/apache-maven/9.9.9/apache-maven-9.9.9-bin.zip"
        echo "sha512.zip=${2:-$(sha512sum <"$repository/apache-maven-9.9.9-bin.zip" | cut -d ' ' -f 1)}"
        echo "sha512.tar.gz=${2:-$(sha512sum <"$repository/apache-maven-9.9.9-bin.tar.gz" | cut -d ' ' -f 1)}"
        echo dependencyPlugin=1
    } >"$project/.mvn/wrapper/maven-wrapper.properties"
}
tools() {
    rm -rf "$dir/bin"
    mkdir "$dir/bin"
    for t in sh dirname sed tr cut mkdir mktemp rm mv sleep sha512sum "$@"; do ln -s "$(command -v "$t")" "$dir/bin/$t"; done
}
wrapper() { # name of a cache, arguments; sets status
    env -i PATH="$dir/bin" HOME=/nowhere MAVEN_USER_HOME="$dir/$1" MVNW_REPOURL="${repourl:-}" sh "$project/mvnw" "${@:2}" >"$dir/out" 2>&1
    status=$?
}
ran() { [ "$status" = 7 ] && head -1 "$dir/out" | grep -qx 'maven 9.9.9'; }
refused() { [ "$status" = 1 ] && [ "$(wc -l <"$dir/out")" = 1 ] && grep -q "$1" "$dir/out"; }
tidy() { [ "$(ls "$dir/$1/wrapper/dists/apache-maven-9.9.9" | wc -l)" = "$2" ]; }

here=http://127.0.0.1:$port
nowhere=http://127.0.0.1:1

pin "$here"
tools curl tar gzip
wrapper a -q 'two words' '' '*' '$HOME' "it's"
check "downloads from the pinned address with curl, unpacks with tar, passes on the exit status" ran
check "passes arguments as they are" equal "$(tail -n +2 "$dir/out")" $'<-q>\n<two words>\n<>\n<*>\n<$HOME>\n<it\'s>'
check "leaves one folder in the cache" tidy a 1

pin "$nowhere"
wrapper a
check "takes the next one from the cache" ran
rm "$dir"/a/wrapper/dists/apache-maven-9.9.9/*/bin/mvn
repourl=$here/ wrapper a
check "downloads from MVNW_REPOURL, in place of a cache in ruins" ran

tools wget tar gzip
repourl=$here wrapper b
check "downloads with wget" ran
if command -v unzip >/dev/null; then
    tools curl unzip
    repourl=$here wrapper c
    check "unpacks with unzip" ran
fi
if command -v jar >/dev/null; then
    tools curl jar
    repourl=$here wrapper d
    check "unpacks with jar" ran
fi

tools curl tar gzip
wrapper e
check "says in one line what to do when nothing can be reached" refused 'cannot get Maven 9.9.9 .* MVNW_REPOURL'
tools tar gzip
repourl=$here wrapper e
check "says so too without curl and wget" refused 'cannot get Maven 9.9.9'
check "leaves nothing behind then" tidy e 0

tools curl tar gzip
pin "$here" "$(printf '0%.0s' $(seq 128))"
wrapper f
check "refuses a wrong checksum" refused "not the pinned '000"
check "keeps nothing of it" tidy f 0

pin "$nowhere"
tools tar gzip cp
cat >"$dir/bin/mvn" <<END
#!/bin/sh
for a in "\$@"; do case \$a in -DoutputDirectory=*) cp "$repository"/*.tar.gz "\${a#*=}" ;; esac; done
echo noise
END
chmod +x "$dir/bin/mvn"
wrapper g
check "has an installed mvn fetch it" ran

pin "$here"
tools curl tar gzip
runs=()
for i in 1 2 3 4; do
    (wrapper h; exit "$status") &
    runs+=($!)
done
for run in "${runs[@]}"; do
    wait "$run"
    check "runs at once do not disturb each other" equal $? 7
done
check "and leave one folder in the cache" tidy h 1

echo "mvnw: $passed of $((passed + failed)) checks passed"
[ "$failed" = 0 ]
