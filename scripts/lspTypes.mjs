/** Extracts types of LSP from `vscode-languageserver-protocol` as text, so that our types depend on no other package. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The TypeScript compiler of the schema generator, which has an API unlike the native compiler. */
export const ts = createRequire(createRequire(import.meta.url).resolve('ts-json-schema-generator'))(
	'typescript',
);

const entry = fileURLToPath(
	new URL('../node_modules/vscode-languageserver-protocol/lib/common/api.d.ts', import.meta.url),
);

/** Returns the declarations of the named types and of all types that they use. Throws if the package lacks one of the names. */
export function extractLspTypes(names) {
	const program = ts.createProgram([entry], { noLib: true, types: [], moduleResolution: 100, module: 199 });
	const checker = program.getTypeChecker();
	const exportedSymbols = checker.getExportsOfModule(
		checker.getSymbolAtLocation(program.getSourceFile(entry)),
	);
	const texts = new Map();
	const visit = (symbol) => {
		const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
		const declaration = target.declarations?.find(
			(node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node),
		);
		if (declaration === undefined || texts.has(target.name)) return;
		texts.set(target.name, declaration.getFullText().trim());
		const walk = (node) => {
			if (ts.isTypeReferenceNode(node)) visit(checker.getSymbolAtLocation(node.typeName));
			if (ts.isExpressionWithTypeArguments(node)) visit(checker.getSymbolAtLocation(node.expression));
			ts.forEachChild(node, walk);
		};
		walk(declaration);
	};
	for (const name of names) {
		const symbol = exportedSymbols.find((exported) => exported.name === name);
		if (symbol === undefined) throw new Error(`vscode-languageserver-protocol has no type ${name}`);
		visit(symbol);
	}
	return [...texts.values()].join('\n');
}
