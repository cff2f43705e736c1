/** Shows the meter in the status bar. */

import * as vscode from 'vscode';
import { t } from '../text/language.ts';
import { linkedCommands } from './hoverMarkdown.ts';
import { defaultMeterFormat } from './meter.ts';
import { describeStatusBar, type StatusBarView } from './statusBarText.ts';
import type { UsageStore } from './usageStore.ts';

/** Milliseconds after which the ages in the tooltip are updated. */
const refreshIntervalMs = 30_000;

const backgroundColours: Readonly<Record<StatusBarView['background'], vscode.ThemeColor | undefined>> = {
	none: undefined,
	warning: new vscode.ThemeColor('statusBarItem.warningBackground'),
	error: new vscode.ThemeColor('statusBarItem.errorBackground'),
};

function readSetting<Value>(name: string, otherwise: Value): Value {
	return vscode.workspace.getConfiguration('contextd.statusBar').get<Value>(name, otherwise);
}

function createItem(): vscode.StatusBarItem {
	const side = readSetting<string>('alignment', 'right');
	const alignment = side === 'left' ? vscode.StatusBarAlignment.Left : vscode.StatusBarAlignment.Right;
	const item = vscode.window.createStatusBarItem('usage', alignment, 90);
	item.name = t('Context Usage');
	item.command = 'contextd.showMenu';
	item.show();
	return item;
}

/** Shows the meter and updates it from the store. */
export function showStatusBar(store: UsageStore): vscode.Disposable {
	let item = createItem();
	let shownView: StatusBarView | null = null;

	function draw(): void {
		const format = readSetting<string>('format', defaultMeterFormat);
		const view = describeStatusBar(store.current(), { now: Date.now(), format });
		if (shownView && JSON.stringify(shownView) === JSON.stringify(view)) return;
		shownView = view;
		item.text = view.text;
		item.backgroundColor = backgroundColours[view.background];
		item.accessibilityInformation = { label: view.label, role: 'button' };
		const tooltip = new vscode.MarkdownString(view.tooltip, true);
		tooltip.supportHtml = true;
		tooltip.isTrusted = { enabledCommands: linkedCommands };
		item.tooltip = tooltip;
	}

	draw();
	const timer = setInterval(draw, refreshIntervalMs);
	const subscriptions = vscode.Disposable.from(
		store.onChange(draw),
		vscode.workspace.onDidChangeConfiguration((change) => {
			if (!change.affectsConfiguration('contextd.statusBar')) return;
			item.dispose();
			item = createItem();
			shownView = null;
			draw();
		}),
	);
	return new vscode.Disposable(() => {
		clearInterval(timer);
		subscriptions.dispose();
		item.dispose();
	});
}
