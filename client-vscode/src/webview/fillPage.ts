import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { pageHtml } from './html.ts';

/** A page of the extension: the base name of its script and style in `dist`, and its first texts. */
export interface WebviewPage {
	name: 'view' | 'card';
	title: string;
	/** Text before there is a model. */
	waiting: string;
}

/** Loads a page into a webview. */
export function fillPage(
	webview: vscode.Webview,
	extension: vscode.Uri,
	{ name, title, waiting }: WebviewPage,
): void {
	const dist = vscode.Uri.joinPath(extension, 'dist');
	const address = (file: string): string => webview.asWebviewUri(vscode.Uri.joinPath(dist, file)).toString();
	webview.options = { enableScripts: true, localResourceRoots: [dist] };
	webview.html = pageHtml({
		cspSource: webview.cspSource,
		script: address(`${name}.js`),
		style: address(`${name}.css`),
		nonce: randomBytes(16).toString('base64url'),
		language: vscode.l10n.bundle ? vscode.env.language : 'en',
		title,
		waiting,
	});
}

/** Returns the gauge of the activity bar in a color for light and one for dark themes; tabs do not color icons. */
export function gaugeTabIcon(extension: vscode.Uri): { light: vscode.Uri; dark: vscode.Uri } {
	return {
		light: vscode.Uri.joinPath(extension, 'images', 'tab-light.svg'),
		dark: vscode.Uri.joinPath(extension, 'images', 'tab-dark.svg'),
	};
}
