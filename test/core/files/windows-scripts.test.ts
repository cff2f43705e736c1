import { describe, expect, it } from 'vitest';
import { translateWindowsScript } from '../../../server/core/files/touches/shell/windowsScripts.ts';

describe('the translation of scripts of Windows', () => {
	it.each([
		['del /f /q c:\\shop\\rows.tf 2>nul', 'rm c:/shop/rows.tf 2>/dev/null'],
		['rmdir /s/q C:\\shop\\.next', 'rm -r C:/shop/.next'],
		['cmd /c rd /s /q .terraform', 'cmd /c rm -r .terraform'],
		['type "C:\\my shop\\rows.tf"', 'type "C:/my shop/rows.tf"'],
	])('reads %s like a command of another shell', (script, translated) => {
		expect(translateWindowsScript(script)).toBe(translated);
	});

	it.each([
		"grep -nP 'd:\\d+' src/rows.ts",
		"sed -i 's/timeout-s:\\s*30/x/' a.yaml",
		'grep "v:\\|w:" a',
		'rmdir build',
		'make 2>null',
	])('leaves a script of another shell alone: %s', (script) => {
		expect(translateWindowsScript(script)).toBe(script);
	});
});
