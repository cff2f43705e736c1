/**
 * Preloaded into a run of the program: writes into the folder CONTEXTD_RECORD, when the program ends, what V8 made of each
 * part by then, of those functions too that were called.
 */

const { writeFileSync } = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const made = [];
const { Script } = vm;
vm.Script = class extends Script {
	constructor(text, options) {
		super(text, options);
		made.push({ name: path.basename(options.filename), script: this });
	}
};

process.on('exit', () => {
	for (const { name, script } of made) {
		writeFileSync(path.join(process.env.CONTEXTD_RECORD, name), script.createCachedData());
	}
});
