import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { EMPTY_NAMES, PACKAGES_WITH_EMPTY_NAMES } from '../scripts/lib/names.mjs'

const root = join(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
/** Lines of code: neither empty nor within a comment. */
const lineCount = (file: string): number =>
  read(file)
    .split('\n')
    .filter((line) => !/^\s*($|\/\/|\/\*|\*)/.test(line)).length

const files = walk('')
const sources = files.filter((file) => /\.tsx?$/.test(file))
const isTest = (file: string): boolean => /(^|\/)tests?\/|\.test\.ts$/.test(file)
const plugins = readdirSync(join(root, 'plugins'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)

const KERNEL_LINES = 4_000

describe('the tree', () => {
  test('has nothing but its nine folders at the top', () => {
    const folders = readdirSync(root, { withFileTypes: true })
      .filter(
        (entry) =>
          entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules',
      )
      .map((entry) => entry.name)
    expect(folders.sort()).toEqual([
      'cli',
      'docs',
      'examples',
      'kernel',
      'plugins',
      'presets',
      'scripts',
      'sdk',
      'tests',
    ])
  })

  // A core that can be read in an evening; what belongs into it, and what does not:
  // docs/decisions/kernel-size.md.
  test('keeps the kernel from growing', () => {
    const kernel = sources.filter((file) => file.startsWith('kernel/src/') && !isTest(file))
    expect(kernel.length).toBeGreaterThan(10)
    expect(kernel.reduce((lines, file) => lines + lineCount(file), 0)).toBeLessThanOrEqual(
      KERNEL_LINES,
    )
  })

  // Events, ports, codes and limits of features belong to the sdk or to the plugin.
  test('names no feature in the kernel', () => {
    const features =
      /widget|skill|(?<!ac)knowledge|\bmcp\b|studio|webhook|automation|log-json|\btier\b|\bexplore\b|\bwrapping\??:|settlement|max_(?:tokens|cost|seconds)|(?:subagent|explore|compaction|credential|kb|field|plan)_[a-z]/i
    const named = sources
      .filter((file) => file.startsWith('kernel/src/'))
      .flatMap((file) =>
        read(file)
          .split('\n')
          .flatMap((line, at) => (features.test(line) ? [`${file}:${at + 1} ${line.trim()}`] : [])),
      )
    expect(named).toEqual([])
  })

  test('has no address in its lockfile', () => {
    expect(read('pnpm-lock.yaml')).not.toMatch(/https?:\/\//)
  })
})

// The linter refuses such names in every other package.
test('the packages with names that say nothing get fewer', () => {
  const words = new RegExp(`\\b(?:${EMPTY_NAMES.join('|')})\\b`)
  const clean = PACKAGES_WITH_EMPTY_NAMES.filter(
    (folder) => !sources.some((file) => file.startsWith(`${folder}/`) && words.test(read(file))),
  )
  expect(clean, 'take them off the list').toEqual([])
  expect(PACKAGES_WITH_EMPTY_NAMES.length).toBeLessThanOrEqual(61)
})

describe.each(plugins)('plugin %s', (name) => {
  const folder = join('plugins', name)

  test('has a page, a test and a package of its name', () => {
    expect(existsSync(join(root, folder, 'README.md')), 'README.md').toBe(true)
    expect(
      files.filter((file) => file.startsWith(`${folder}/test/`) && file.endsWith('.test.ts')),
      'test/*.test.ts',
    ).not.toEqual([])
    expect(JSON.parse(read(join(folder, 'package.json')))).toMatchObject({
      name: `@amodal/plugin-${name}`,
    })
  })

  test('reads as a table of contents, in at most 160 lines of code', () => {
    expect(lineCount(join(folder, 'src/index.ts'))).toBeLessThanOrEqual(160)
  })

  test('is named in presets/, so that somebody can list it', () => {
    const named = sources.filter(
      (file) => file.startsWith('presets/src/') && read(file).includes(`@amodal/plugin-${name}'`),
    )
    expect(named).not.toEqual([])
  })
})

// What the linter cannot see: it holds the rules about the console, the environment and casts.
describe('the sources', () => {
  const found = sources.flatMap((file) => inspect(file, read(file)))
  const findings = (
    rule: Finding['rule'],
    allowed: (file: string) => boolean = () => false,
  ): readonly string[] =>
    found
      .filter((finding) => finding.rule === rule && !allowed(finding.file))
      .map(({ file, line }) => `${file}:${line}`)
  const isCommandLine = (file: string): boolean => /^(presets\/src\/cli|cli)\//.test(file)

  test('end the process in the command line only', () => {
    expect(
      findings(
        'process.exit',
        (file) => isCommandLine(file) || isTest(file) || file.startsWith('examples/'),
      ),
    ).toEqual([])
  })

  test('switch no rule of the linter off in a comment', () => {
    const switched = sources.filter((file) => /(?:ox|es)lint-(?:dis|en)able/.test(read(file)))
    expect(switched).toEqual([])
  })

  test('leave no test out', () => expect(findings('test left out')).toEqual([]))

  // Values go in as parameters, names as identifiers: `sql` of `@amodal/sdk/database` does both.
  test('glue nothing into SQL', () => {
    expect(
      findings(
        'glued SQL',
        (file) => !/^(plugins|sdk|presets|cli)\/(.*\/)?src\/(?!testing\/)/.test(file),
      ),
    ).toEqual([])
  })

  test('are inspected by rules that see', () => {
    const planted = [
      'process.exit(1)',
      'test.only("x", f)',
      'describe.skip("x", f)',
      'it.todo("x")',
      'test.each([]).skip',
      'const FIND = `select id from notes where text = ${text}`',
      'run({ sql: `${verb} x`, parameters: [] })',
      "run({ sql: 'vacuum ' + table, parameters: [] })",
      "const ALL = 'select ' + columns + ' from notes'",
      'engine.script(`listen ${channel}`)',
      'const half = `\\n(with a as (select 1) ${rest}`',
      'sql.raw(text)',
      'sql`select ${`id from ${table}`}`',
    ]
    expect(planted.filter((line) => inspect('planted.ts', line).length === 0)).toEqual([])
    expect(
      inspect(
        'clean.ts',
        "const as = 'as any'; // the same as any other\nlist.skip(1); log.console; k.process\nsql`select ${id} from notes`; sql<{ n: number }>`with a as (${b}) select 1`\nsay(`update ${name} to ${version}`); const one = { sql: text }; script('vacuum')",
      ),
    ).toEqual([])
  })
})

describe('everything that is kept', () => {
  // Put together from halves, so that this file does not find itself.
  const forbidden = [
    '/work' + '/',
    '/tmp' + '/',
    '/root' + '/',
    'shared' + '/design',
    'shared' + '/spec',
    'shared' + '/tools',
    'registry.' + 'npmjs',
    'registry.' + 'yarnpkg',
    'npm.' + 'pkg.github',
    'code' + 'artifact',
    'arti' + 'factory',
    'amazon' + 'aws',
  ]

  test.each(forbidden)('does not mention %s', (word) => {
    const pattern = new RegExp(`(?<![\\w.~-])${word.replace(/[.]/g, '\\.')}`)
    const mentions = files.filter((file) => pattern.test(read(file)))
    expect(mentions).toEqual([])
  })
})

interface Finding {
  readonly rule: 'process.exit' | 'test left out' | 'glued SQL'
  readonly file: string
  readonly line: number
}

/** What a source does that most may not do, seen in its syntax and not in its strings. */
function inspect(file: string, text: string): readonly Finding[] {
  const found: Finding[] = []
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const report = (rule: Finding['rule'], position: number): void => {
    found.push({ rule, file, line: tree.getLineAndCharacterOfPosition(position).line + 1 })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node)) {
      const member = node.getText(tree).replace(/^globalThis\./, '')
      if (member === 'process.exit') report('process.exit', node.getStart(tree))
      if (/^(test|it|describe)\b/.test(member) && /^(only|skip|todo)$/.test(node.name.text))
        report('test left out', node.getStart(tree))
    }
    if (isGluedSql(node, tree)) report('glued SQL', node.getStart(tree))
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

/** How a statement begins; words of prose begin so, and go on differently. */
const STATEMENT =
  /^[\s(]*(select\b[^]*\bfrom\b|insert into\b|update [^ ]+ ([a-z] )?set\b|delete from\b|with (recursive )?\w+ ?(\([\w, ]+\) ?)?as\b|(create|alter|drop) (or replace )?(unlogged )?(unique )?(table|index|function|trigger|role|policy)\b|grant [^]* to\b|vacuum\b|(un)?listen\b|comment on\b|do \$\$)/i

/** A text that is put together, and is a statement or a part of one. */
function isGluedSql(node: ts.Node, tree: ts.SourceFile): boolean {
  if (ts.isPropertyAccessExpression(node)) return node.getText(tree) === 'sql.raw'
  const text = gluedText(node)
  if (text === undefined || ts.isBinaryExpression(node.parent)) return false
  const { parent } = node
  const isRun =
    (ts.isPropertyAssignment(parent) && parent.name.getText(tree) === 'sql') ||
    (ts.isCallExpression(parent) && /(^|\.)script$/.test(parent.expression.getText(tree))) ||
    (ts.isTemplateSpan(parent) && isSqlTemplate(parent.parent))
  return isRun || STATEMENT.test(text)
}

/** With a word for each part that is put in; `undefined` for everything else. */
function gluedText(node: ts.Node): string | undefined {
  if (ts.isTemplateExpression(node) && !isSqlTemplate(node))
    return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('x')
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken)
    return undefined
  const first = leftmost(node)
  return ts.isStringLiteralLike(first) ? node.getText().slice(1) : undefined
}

const isSqlTemplate = ({ parent }: ts.TemplateExpression): boolean =>
  ts.isTaggedTemplateExpression(parent) && parent.tag.getText() === 'sql'

const leftmost = (node: ts.Expression): ts.Expression =>
  ts.isBinaryExpression(node) ? leftmost(node.left) : node

/** Every file that is ours, as git would see it: without what is installed, built or measured. */
function walk(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (
      /^(node_modules|dist|coverage|\.git|\.next|\.tools|\.amodal|\.env)$/.test(entry.name) ||
      path === 'tests/bench/results'
    )
      return []
    if (/^\.[\w-]*(generated|tmp)|\.(log|tsbuildinfo)$/.test(entry.name)) return []
    if (entry.isDirectory()) return walk(path)
    return entry.isFile() ? [path] : []
  })
}
