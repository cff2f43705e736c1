import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const textOf = (name: string) =>
	readFileSync(new URL(`../../client-vscode/${name}`, import.meta.url), 'utf8');

interface Manifest {
	contributes: {
		commands: { command: string; category: string; enablement?: string }[];
		menus: Record<string, { command: string; when?: string }[]>;
	};
}

const { contributes } = JSON.parse(textOf('package.json')) as Manifest;
const readme = textOf('README.md');

it('the README names every command and every context key of their conditions', () => {
	for (const { command } of contributes.commands) expect(readme).toContain(`\`${command}\``);
	const asked = contributes.commands.flatMap(
		({ enablement = '' }) => enablement.match(/contextd\.\w+/g) ?? [],
	);
	for (const key of asked) expect(readme).toContain(`\`${key}\``);
});

it('menus offer only declared commands', () => {
	const declared = new Set(contributes.commands.map(({ command }) => command));
	for (const { command } of Object.values(contributes.menus).flat()) expect(declared).toContain(command);
});
