import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HOOKS, type HookSpec } from '@amodal/sdk'
import ts from 'typescript'
import { HOOK_NOTES, type NotedHook } from './hook-notes.ts'
import { ROOT, sourceFiles } from './pages.ts'

export interface CatalogueEntry {
  readonly name: NotedHook
  readonly kind: HookSpec['kind']
  readonly onError: 'skip' | 'fail'
  readonly timeoutMs: number | undefined
  readonly checked: boolean
  /** Parameters of a tap, as the catalogue types them. */
  readonly parameters: readonly string[]
  /** What a tap may return; `undefined` where nothing is wanted. */
  readonly returns: string | undefined
  /** Whether anything in the repository calls it yet. */
  readonly called: boolean
}

interface Table {
  readonly [key: string]: HookSpec | Table
}
const isSpec = (node: HookSpec | Table): node is HookSpec => 'policy' in node

/** The catalogue of hooks with what its source alone knows: the types. */
export function hookCatalogue(): readonly CatalogueEntry[] {
  const types = new Map(
    ['kernel/src/hooks/catalog.ts', 'sdk/src/hooks/catalog.ts'].flatMap((file) => [
      ...typesOf(readFileSync(join(ROOT, file), 'utf8')),
    ]),
  )
  const product = sourceFiles('kernel', 'plugins')
    .map(({ text }) => text)
    .join('\n')

  const entries = new Map<NotedHook, CatalogueEntry>()
  const walk = (table: Table, path: string): void => {
    for (const [key, node] of Object.entries(table)) {
      const name = `${path}${key}`
      if (!isSpec(node)) {
        walk(node, `${name}.`)
        continue
      }
      // the names of the table itself
      const noted = name.replace(/^(state\.(?:enter|leave))\..*$/, '$1') as NotedHook
      const {
        kind,
        policy: { onError, timeoutMs, check },
      } = node
      const [args = [], result] = types.get(name) ?? []
      const changes = kind === 'waterfall' || kind === 'syncWaterfall'
      entries.set(noted, {
        name: noted,
        kind,
        onError,
        timeoutMs,
        checked: check !== undefined,
        parameters: args,
        returns: changes
          ? typeOf(args[0])
          : kind === 'bail' || kind === 'collect'
            ? result
            : undefined,
        called: isCalled(noted, product),
      })
    }
  }
  walk(HOOKS, '')
  const missing = [...entries.keys()].filter((name) => !(name in HOOK_NOTES))
  if (missing.length > 0) throw new Error(`hooks without a note: ${missing.join(', ')}`)
  return [...entries.values()]
}

const typeOf = (parameter: string | undefined): string | undefined =>
  parameter?.replace(/^\w+: /, '')

/**
 * `hooks.tool.guard.call(…)`, or the hook taken out of its group first, `const { load, check } =
 * hooksOf(generation).bundle`, or its group as a whole, `const hooks = hooksOf(generation).bundle`.
 */
function isCalled(name: NotedHook, product: string): boolean {
  const [group = '', own = ''] = name.split('.')
  const whole = new RegExp(`const (\\w+) = [^\\n]*\\(generation\\)\\.${group}$`, 'm').exec(
    product,
  )?.[1]
  const isCalledInGroup = new RegExp(
    `\\b${group}\\.${own}(?:\\.call|\\.tapped|\\[)|\\{[^{}\\n]*\\b${own}\\b[^{}\\n]*\\} = .*\\.${group}\\b`,
  ).test(product)
  return isCalledInGroup || (whole !== undefined && product.includes(`${whole}.${own}.call`))
}

type Types = readonly [args: readonly string[], result: string | undefined]

/**
 * Type arguments of each entry, by its name. A helper such as `enter('thinking')` has those of the
 * call in its body. The table is what `HOOKS` is, or what the kernel's function returns; what one
 * takes from the other stands there.
 */
function typesOf(source: string): ReadonlyMap<string, Types> {
  const tree = ts.createSourceFile('catalog.ts', source, ts.ScriptTarget.Latest, true)
  const found = new Map<string, Types>()
  const helpers = new Map<string, ts.CallExpression>()
  const read = (call: ts.CallExpression): Types => {
    const [args, result] = call.typeArguments ?? []
    const text = (node: ts.Node): string =>
      node
        .getText(tree)
        .replaceAll(/\s+/g, ' ')
        .replace(/Extract<AgentState, \{ kind: K \}>/, 'AgentState')
        .replace(/^ctx: C$/, 'ctx: RunContext')
    return [args && ts.isTupleTypeNode(args) ? args.elements.map(text) : [], result && text(result)]
  }
  const visit = (object: ts.ObjectLiteralExpression, path: string): void => {
    for (const property of object.properties) {
      if (!ts.isPropertyAssignment(property)) continue
      const name = `${path}${property.name.getText(tree)}`
      const { initializer } = property
      if (ts.isObjectLiteralExpression(initializer)) visit(initializer, `${name}.`)
      else if (ts.isCallExpression(initializer))
        found.set(name, read(helpers.get(initializer.expression.getText(tree)) ?? initializer))
    }
  }
  const table = (value: ts.Expression): void => {
    if (ts.isAsExpression(value) && ts.isObjectLiteralExpression(value.expression))
      visit(value.expression, '')
  }
  const collect = (statement: ts.Statement): void => {
    if (ts.isFunctionDeclaration(statement)) statement.body?.statements.forEach(collect)
    if (ts.isReturnStatement(statement) && statement.expression) table(statement.expression)
    if (!ts.isVariableStatement(statement)) return
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (!initializer) continue
      if (ts.isArrowFunction(initializer) && ts.isCallExpression(initializer.body))
        helpers.set(name.getText(tree), initializer.body)
      else table(initializer)
    }
  }
  tree.statements.forEach(collect)
  return found
}
