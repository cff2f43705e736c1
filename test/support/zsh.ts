/** Finds the completions that an interactive zsh offers for a typed line. */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Script that records each offered match, and ends the shell after the last one. */
const typing = `PROMPT=
autoload -Uz compinit
compinit -u -d $FOLDER/dump
source $FOLDER/completion.zsh
bindkey '^I' complete-word
compadd() {
	builtin compadd "$@"
	local -i result=$?
	if [[ \${@[1,(i)(-|--)]} != *-(O|A|D)\\ * ]]; then
		local -a hits
		builtin compadd -A hits "$@"
		print -rl -- $hits >> $FOLDER/offered
	fi
	return result
}
leave() { exit }
comppostfuncs=(leave)
`;

/** Script that types a line and a tab into a shell in a pseudo-terminal. */
const watching = `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "source $FOLDER/typing.zsh"
zpty -w -n shell "$1"$'\\t'
while zpty -r shell line; do :; done
`;

/** Returns the words that zsh offers for a line, with a completion that is stored in `folder`. */
export function offeredByZsh(completion: string, line: string, folder: string): string[] {
	const files = { 'completion.zsh': completion, 'typing.zsh': typing, 'watching.zsh': watching };
	for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
	const offered = join(folder, 'offered');
	rmSync(offered, { force: true });
	const env = { PATH: process.env.PATH, HOME: folder, FOLDER: folder };
	const options = { env, cwd: folder, encoding: 'utf8', timeout: 30_000 } as const;
	const { status, stderr } = spawnSync('zsh', ['-f', join(folder, 'watching.zsh'), line], options);
	if (status !== 0) throw new Error(`zsh ended with ${status}: ${stderr}`);
	return existsSync(offered) ? readFileSync(offered, 'utf8').split('\n').filter(Boolean) : [];
}
