// Checks the types of TypeScript files: `types.ts COMPILER FOLDER FILE…`. Runs none of them.
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'

/** The parts of the compiler that are used; it is installed beside the server, or not at all. */
interface Compiler {
  readonly createProgram: (files: readonly string[], options: object) => object
  readonly getPreEmitDiagnostics: (program: object) => readonly Diagnostic[]
  readonly flattenDiagnosticMessageText: (text: unknown, newLine: string) => string
  readonly ScriptTarget: { readonly ES2023: number }
  readonly ModuleKind: { readonly NodeNext: number }
  readonly ModuleResolutionKind: { readonly NodeNext: number }
}
interface Diagnostic {
  readonly code: number
  readonly messageText: unknown
  readonly start?: number
  readonly file?: {
    readonly fileName: string
    getLineAndCharacterOfPosition(position: number): { readonly line: number }
  }
}

/** Packages and types of Node that are not installed with the tool. */
const NOT_INSTALLED = [2307, 2580, 2591, 2867, 7016]
const MOST = 20

const [compiler = '', folder = '', ...files] = process.argv.slice(2)
// The package has this form, or the call of it throws.
const ts = createRequire(import.meta.url)(compiler) as Compiler
const program = ts.createProgram(
  files.map((file) => join(folder, file)),
  {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    typeRoots: [],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
  },
)
const problems = ts
  .getPreEmitDiagnostics(program)
  .filter(({ code }) => !NOT_INSTALLED.includes(code))
  .slice(0, MOST)
  .map(({ file, start, messageText }) => ({
    file: file ? relative(folder, file.fileName) : '',
    line: file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : 1,
    message: ts.flattenDiagnosticMessageText(messageText, ' '),
  }))
process.stdout.write(JSON.stringify(problems))
