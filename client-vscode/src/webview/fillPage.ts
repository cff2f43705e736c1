import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { type PageContent, renderWebviewPage } from './html.ts';

/** A page of the extension. Its script and style are in `dist`, as `view.js` and `view.css` for example. */
interface WebviewPage extends Pick<PageContent, 'title' | 'waitingText'> {
	name: 'view' | 'card';
}

/** Loads a page into a webview. */
export function fillPage(
	webview: vscode.Webview,
	extension: vscode.Uri,
	{ name, title, waitingText }: WebviewPage,
): void {
	const dist = vscode.Uri.joinPath(extension, 'dist');
	const toAddress = (file: string): string =>
		webview.asWebviewUri(vscode.Uri.joinPath(dist, file)).toString();
	webview.options = { enableScripts: true, localResourceRoots: [dist] };
	webview.html = renderWebviewPage({
		cspSource: webview.cspSource,
		script: toAddress(`${name}.js`),
		style: toAddress(`${name}.css`),
		nonce: randomBytes(16).toString('base64url'),
		language: vscode.l10n.bundle ? vscode.env.language : 'en',
		title,
		waitingText,
	});
}

/** Returns the gauge icon for tabs, one for light and one for dark themes: editors do not color the icons of tabs. */
export function getTabIconUris(extension: vscode.Uri): { light: vscode.Uri; dark: vscode.Uri } {
	return {
		light: vscode.Uri.joinPath(extension, 'images', 'tab-light.svg'),
		dark: vscode.Uri.joinPath(extension, 'images', 'tab-dark.svg'),
	};
}
