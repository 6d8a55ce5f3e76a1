import { SourceMap } from 'node:module'
import type { Json } from '@amodal/sdk'
import type { AnyNode, Expression, Program } from 'acorn'
import { isEsbuildFailure, problemsOf } from './build-problems.ts'
import { isNode } from './guarded-loops.ts'
import { literalOf, type Offsets } from './literal.ts'
import type { PageProblem } from './protocol.ts'

/** A name in a call such as `useStoreList('alerts')`, with its line. */
export interface NamedCall {
  readonly name: string
  readonly line: number
}

/** What a module says of itself, found without running it. */
export interface ModuleFacts {
  /** The value of `export const page`. */
  readonly config: Json | undefined
  /** The line of a field of it, by its path; of the whole of it by `''`. */
  readonly lineOf: (path: string) => number
  readonly hasDefault: boolean
  /** Stores that hooks are called with, where the name is written out. */
  readonly reads: readonly NamedCall[]
  /** Skills that hooks are called with. */
  readonly skills: readonly NamedCall[]
  readonly problems: readonly PageProblem[]
}

const STORE_HOOKS = new Set(['useStoreList', 'useStore'])
const SKILL_HOOK = 'useSkillAction'
const NOTHING = {
  config: undefined,
  lineOf: () => 1,
  hasDefault: false,
  reads: [],
  skills: [],
} as const

/** Reads the facts of one module of `pages/`. */
export async function factsOf(file: string, text: string): Promise<ModuleFacts> {
  const [{ transform }, { parse }] = await Promise.all([import('esbuild'), import('acorn')])
  try {
    const { code, map } = await transform(text, {
      loader: loaderOf(file),
      jsx: 'automatic',
      sourcefile: file,
      sourcemap: 'external',
      logLevel: 'silent',
      tsconfigRaw: {},
    })
    const program = parse(code, { ecmaVersion: 'latest', sourceType: 'module' })
    return factsIn(file, program, linesOf(code, map))
  } catch (cause) {
    if (isEsbuildFailure(cause)) return { ...NOTHING, problems: problemsOf(cause.errors) }
    throw cause
  }
}

export function loaderOf(file: string): 'tsx' | 'ts' | 'jsx' | 'json' | 'css' {
  const [, ending = ''] = /\.(\w+)$/.exec(file) ?? []
  switch (ending) {
    case 'ts':
    case 'jsx':
    case 'json':
    case 'css':
      return ending
    case 'js':
      return 'jsx'
    default:
      return 'tsx'
  }
}

/** From an offset in the transformed code to the line of the source. */
function linesOf(code: string, map: string): (offset: number) => number {
  const parsed = new SourceMap(JSON.parse(map) as ConstructorParameters<typeof SourceMap>[0])
  return (offset) => {
    const before = code.slice(0, offset).split('\n')
    const entry = parsed.findEntry(before.length - 1, before.at(-1)?.length ?? 0)
    return 'originalLine' in entry ? entry.originalLine + 1 : 1
  }
}

function factsIn(file: string, program: Program, lineAt: (offset: number) => number): ModuleFacts {
  const offsets: Offsets = new Map()
  const problems: PageProblem[] = []
  const page = pageOf(program)
  const literal = page && literalOf(page, offsets)
  if (literal?.ok === false)
    problems.push({
      file,
      line: lineAt(literal.error.at),
      message: literal.error.message,
      fix: 'write the value out: texts, numbers, booleans, lists and objects of these',
    })
  const calls = hookCalls(program)
  const named = (hooks: (name: string) => boolean): readonly NamedCall[] =>
    calls.filter(({ hook }) => hooks(hook)).map(({ name, at }) => ({ name, line: lineAt(at) }))
  return {
    config: literal?.ok === true ? literal.value : undefined,
    lineOf: (path) => lineAt(offsets.get(path) ?? page?.start ?? 0),
    hasDefault: hasDefault(program),
    reads: named((hook) => STORE_HOOKS.has(hook)),
    skills: named((hook) => hook === SKILL_HOOK),
    problems,
  }
}

/** The value of `export const page`, or of a `page` that is exported below. */
function pageOf({ body }: Program): Expression | undefined {
  const declarations = body.flatMap((node) => {
    const declared = node.type === 'ExportNamedDeclaration' ? node.declaration : node
    return declared?.type === 'VariableDeclaration' ? declared.declarations : []
  })
  const exported = declarations.find(({ id }) => id.type === 'Identifier' && id.name === 'page')
  return exported?.init ?? undefined
}

const hasDefault = ({ body }: Program): boolean =>
  body.some(
    (node) =>
      node.type === 'ExportDefaultDeclaration' ||
      (node.type === 'ExportNamedDeclaration' &&
        node.specifiers.some(
          ({ exported }) => exported.type === 'Identifier' && exported.name === 'default',
        )),
  )

interface HookCall {
  readonly hook: string
  readonly name: string
  readonly at: number
}

function hookCalls(program: Program): readonly HookCall[] {
  const found: HookCall[] = []
  const visit = (node: AnyNode): void => {
    const call = hookCall(node)
    if (call) found.push(call)
    for (const child of Object.values(node) as readonly unknown[])
      for (const one of Array.isArray(child) ? (child as readonly unknown[]) : [child])
        if (isNode(one)) visit(one)
  }
  visit(program)
  return found
}

function hookCall(node: AnyNode): HookCall | undefined {
  if (node.type !== 'CallExpression') return undefined
  const { callee } = node
  const [first] = node.arguments
  const member =
    callee.type === 'MemberExpression' && callee.property.type === 'Identifier'
      ? callee.property.name
      : undefined
  const hook = callee.type === 'Identifier' ? callee.name : member
  return hook !== undefined && first?.type === 'Literal' && typeof first.value === 'string'
    ? { hook, name: first.value, at: node.start }
    : undefined
}
