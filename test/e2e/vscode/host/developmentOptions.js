/** Puts extensions under development into the configuration that the workbench's page carries. */
// biome-ignore lint/correctness/noUnusedVariables: the test that loads this file into the page calls it there
function addDevelopmentOptions(options) {
	const original = Element.prototype.getAttribute;
	Element.prototype.getAttribute = function (name) {
		const value = original.call(this, name);
		if (name !== 'data-settings' || this.id !== 'vscode-workbench-web-configuration') return value;
		const configuration = JSON.parse(value);
		configuration.developmentOptions = { ...configuration.developmentOptions, ...options };
		return JSON.stringify(configuration);
	};
}
