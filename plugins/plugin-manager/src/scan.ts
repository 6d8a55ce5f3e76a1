import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { matchesWildcard } from '@amodal/sdk'
import { packageFiles, type PackageCapabilities } from '@amodal/sdk/packages'
import { finding, type Finding } from './findings.ts'

/** What code can do without the kernel, whether it can be declared or not. */
type Kind = 'processes' | 'hosts' | 'files' | 'secrets' | 'code' | 'computed' | 'obfuscated'

/** A place in a package that does something that the kernel cannot see. */
export interface Use {
  readonly kind: Kind
  readonly file: string
  readonly line: number
  /** The module or function; of `secrets` the variable. */
  readonly what: string
}

const loads = (modules: string): RegExp =>
  new RegExp(
    String.raw`(?:\bfrom|\bimport\s*\(?|\brequire\s*\(|\bgetBuiltinModule\s*\()\s*['"\`](?:node:)?(${modules})['"\`]`,
    'g',
  )

const PATTERNS: readonly (readonly [Kind, RegExp])[] = [
  ['processes', loads('child_process|cluster')],
  ['hosts', loads(String.raw`https?|http2|net|tls|dgram|dns(?:\/promises)?|undici`)],
  ['hosts', /(?<![\w$.]|async |function )(fetch)\s*\((?![^()]*\)\s*\{)/g],
  ['hosts', /\bglobalThis\.(fetch)\b|\bnew (WebSocket|EventSource)\s*\(/g],
  ['files', loads(String.raw`fs(?:\/promises)?|sqlite`)],
  ['secrets', /\bprocess\.env(?:\.(\w+)|\[['"](\w+)['"]\])?/g],
  ['code', loads('vm|worker_threads|inspector|repl')],
  ['code', /\bprocess\.(dlopen|binding)\b/g],
  ['computed', /(?<![\w$.])(eval)\s*\(|\bnew (Function)\s*\(/g],
  ['computed', /(?<![\w$.])(import|require)\s*\(\s*(?!['"`)\s])/g],
  ['obfuscated', /\b(eval|Function)\s*\(\s*(?:atob|unescape|decodeURIComponent|Buffer\.from)\b/g],
]

/** Variable names as obfuscators generate them. */
const MANGLED = /\b_0x[0-9a-f]{3,}\b/g
const MOST_MANGLED = 10
/** Letters that are written as escapes, such as `\x63`. */
const ESCAPED = /\\(?:x[0-9a-f]{2}|u00[2-7][0-9a-f])/gi
const MOST_ESCAPED = 200
/** Environment variables that hold no secrets. */
const HARMLESS = new Set(['NODE_ENV', 'NODE_DEBUG', 'DEBUG', 'NO_COLOR', 'FORCE_COLOR', 'CI'])
const CODE = new Set(['.js', '.mjs', '.cjs'])
/** Places of one kind that are reported for a file. */
const MOST_PLACES = 50
/** Characters of a file that are scanned. */
const MOST_READ = 5_000_000

/**
 * Scans the JavaScript of a package for what it can do without the kernel. It finds plain uses and
 * proves nothing: obfuscated code can evade it.
 *
 * @param folder of the package
 */
export async function scan(folder: string): Promise<readonly Use[]> {
  const uses: Use[] = []
  for (const file of await packageFiles(folder)) {
    const kind = extname(file)
    if (kind === '.node') uses.push({ kind: 'code', file, line: 1, what: 'a native module' })
    if (!CODE.has(kind)) continue
    const text = (await readFile(join(folder, file), 'utf8')).slice(0, MOST_READ)
    uses.push(...usesIn(text, file))
  }
  return uses
}

function usesIn(text: string, file: string): readonly Use[] {
  const code = withoutComments(text)
  const found = PATTERNS.flatMap(([kind, pattern]) =>
    [...code.matchAll(pattern)].slice(0, MOST_PLACES).map(({ index, 1: first, 2: second }): Use => {
      const line = code.slice(0, index).split('\n').length
      return { kind, file, line, what: first ?? second ?? '' }
    }),
  ).filter(({ kind, what }) => kind !== 'secrets' || !HARMLESS.has(what))
  const isMangled = count(code, MANGLED) > MOST_MANGLED || count(code, ESCAPED) > MOST_ESCAPED
  return isMangled
    ? [...found, { kind: 'obfuscated', file, line: 1, what: 'mangled names or escaped letters' }]
    : found
}

const count = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length

/** Preserves line numbers, and string literals, since module names are among them. */
const withoutComments = (text: string): string =>
  text.replace(
    /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (part) => (part.startsWith('/') ? part.replace(/[^\n]/g, ' ') : part),
  )

const DOES: Readonly<Record<'processes' | 'hosts' | 'files' | 'secrets', string>> = {
  processes: 'starts programs',
  hosts: 'opens connections past `ctx.outbound`',
  files: 'opens files',
  secrets: 'reads the environment',
}

/**
 * Finds what a package does beyond what it declares.
 *
 * @param capabilities what it declares, or what was accepted
 */
export function overReach(
  name: string,
  uses: readonly Use[],
  capabilities: PackageCapabilities,
): readonly Finding[] {
  const of = (kind: Kind): readonly Use[] => uses.filter((use) => use.kind === kind)
  const declared = (['processes', 'hosts', 'files', 'secrets'] as const).flatMap((kind) => {
    const list = capabilities[kind] ?? []
    const beyond = of(kind).filter(({ what }) =>
      kind === 'secrets' && what !== ''
        ? !list.some((pattern) => matchesWildcard(pattern, what))
        : list.length === 0,
    )
    // nearly every library reads a variable or a file, so these are only reported
    const severity = kind === 'processes' || kind === 'hosts' ? 'error' : 'warning'
    const message = `${name} ${DOES[kind]} (${places(beyond)}), and its package.json names no such \`${kind}\``
    return beyond.length === 0 ? [] : [finding('UNDECLARED', severity, name, message)]
  })
  const others = [
    ['code', 'UNDECLARED', 'error', 'runs code that the kernel cannot see'],
    ['computed', 'CHECKED_BY_NOBODY', 'warning', 'makes code, or chooses it, at run time'],
    ['obfuscated', 'OBFUSCATED', 'error', 'hides what it does'],
  ] as const
  return [
    ...declared,
    ...others.flatMap(([kind, code, severity, does]) =>
      of(kind).length === 0
        ? []
        : [finding(code, severity, name, `${name} ${does} (${places(of(kind))})`)],
    ),
  ]
}

const SHOWN = 3
function places(uses: readonly Use[]): string {
  const shown = uses.slice(0, SHOWN).map(({ file, line, what }) => `${file}:${line} ${what}`.trim())
  const more = uses.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
