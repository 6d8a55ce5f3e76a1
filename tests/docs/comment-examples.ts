import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import { ROOT, sourceFiles } from './pages.ts'
import type { TypeProblem, Workbench } from './workbench.ts'

/** An example is a part of something, with names that may be anything. */
const FRAGMENTS = {
  noImplicitAny: false,
  noImplicitReturns: false,
  exactOptionalPropertyTypes: false,
}

/** The `@example` of a docstring. */
export interface Example {
  readonly file: string
  readonly line: number
  readonly text: string
}

/** Where the names of an example come from that it does not import, nearest first. */
const DOORS = [
  '@amodal/sdk',
  '@amodal/sdk/client',
  '@amodal/sdk/database',
  '@amodal/sdk/testing',
  '@amodal/presets',
  '@amodal/plugin-http/tokens',
  'node:fs/promises',
] as const

/** Examples of public docstrings in everything that ships. */
export function allExamples(): readonly Example[] {
  return sourceFiles('kernel', 'sdk', 'presets', 'plugins').flatMap(({ path, text }) =>
    examplesOf(path, text),
  )
}

export function examplesOf(file: string, source: string): readonly Example[] {
  return [
    ...source.matchAll(/^[ \t]*\*[ \t]*@example[ \t]*\n((?:[ \t]*\*(?!\/)(?![ \t]*@).*\n)+)/gm),
  ].map((match) => ({
    file,
    line: source.slice(0, match.index).split('\n').length + 1,
    text: (match[1] ?? '').replaceAll(/^[ \t]*\*[ \t]?/gm, ''),
  }))
}

/**
 * Checks examples against the types of the product. An example may speak of things of its reader's
 * (`memory`, `folder`): a name that no package exports may be anything, one that a package does
 * export is held to what it is.
 */
export async function exampleProblems(
  examples: readonly Example[],
  bench: Workbench,
): Promise<readonly string[]> {
  const exported = await exportedNames()
  const files = new Map<string, Example>(
    examples.map((example, at) => [`example-${at}.ts`, example]),
  )
  const write = (file: string, example: Example, missing: readonly string[]): void =>
    void bench.write(
      file,
      asModule(
        example,
        missing.map((name) => importOf(name, example, exported, bench.folder)),
      ),
    )

  for (const [file, example] of files) write(file, example, [])
  const missing = Map.groupBy(await bench.typeCheck(FRAGMENTS), ({ file }) => file)
  for (const [file, example] of files)
    write(file, example, [
      ...new Set((missing.get(file) ?? []).flatMap((problem) => missingName(problem) ?? [])),
    ])
  return (await bench.typeCheck(FRAGMENTS)).flatMap(({ file, code, message }) => {
    const example = files.get(file)
    return example ? [`${example.file}:${example.line}: ${code} ${message}`] : []
  })
}

const missingName = ({ message }: TypeProblem): string | undefined =>
  /^(?:Cannot find name|No value exists in scope for the shorthand property) '(\w+)'/.exec(
    message,
  )?.[1]

/**
 * Statements inside a function, so that an example may `return` and `await`; what it declares or
 * imports stands above.
 */
function asModule({ text }: Example, imports: readonly string[]): string {
  const tree = ts.createSourceFile('example.ts', text, ts.ScriptTarget.Latest, true)
  const isExported = (statement: ts.Statement): boolean =>
    ts.canHaveModifiers(statement) &&
    (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  const isOutside = (statement: ts.Statement): boolean =>
    ts.isImportDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    isExported(statement)
  const [outside, inside] = [
    tree.statements.filter(isOutside),
    tree.statements.filter((statement) => !isOutside(statement)),
  ]
  const textOf = (statements: readonly ts.Statement[]): string =>
    statements.map((statement) => statement.getText(tree)).join('\n')
  return `${imports.join('\n')}\n${textOf(outside)}\nexport async function example() {\n${textOf(inside)}\n}\n`
}

function importOf(
  name: string,
  { file }: Example,
  exported: ReadonlyMap<string, string>,
  folder: string,
): string {
  const own = new RegExp(
    `^export (?:async )?(?:const|function|class|interface|type) ${name}\\b`,
    'm',
  ).test(readFileSync(join(ROOT, file), 'utf8'))
  const from = own ? relative(folder, join(ROOT, file)) : exported.get(name)
  return from === undefined
    ? `declare const ${name}: any`
    : `import { ${name} } from '${own && !from.startsWith('.') ? './' : ''}${from}'`
}

/** What our packages export, by name, and plugins by the name of their constant. */
async function exportedNames(): Promise<ReadonlyMap<string, string>> {
  const names = new Map([['z', 'zod']])
  const add = (name: string, from: string): void => {
    if (!names.has(name)) names.set(name, from)
  }
  for (const door of DOORS)
    for (const name of Object.keys((await import(door)) as object)) add(name, door)
  for (const { name: plugin } of readdirSync(join(ROOT, 'plugins'), {
    withFileTypes: true,
  }).filter((entry) => entry.isDirectory()))
    add(
      plugin.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
      `@amodal/plugin-${plugin}`,
    )
  return names
}
