import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { err, ok, type Result } from '@amodal/sdk'
import type { BuildOptions, Metafile, OnResolveResult, Plugin } from 'esbuild'
import { isEsbuildFailure, NAMESPACE, problemsOf } from './build-problems.ts'
import { guardedLoops } from './guarded-loops.ts'
import { loaderOf } from './module-facts.ts'
import type { PageProblem } from './protocol.ts'

/** A page as one script, and what it is of. */
export interface BuiltPage {
  readonly hash: string
  readonly shape: string
  readonly code: string
  /** Source map, as JSON. */
  readonly map: string
  /** Files of the agent that are in it. */
  readonly inputs: readonly string[]
}

/** Texts of `pages/`, by path. */
export type PageFiles = ReadonlyMap<string, string>

const ENTRY = 'page-entry'
const SHARED = 'page-shared'
const ENDINGS = ['', '.tsx', '.ts', '.jsx', '.js', '/index.tsx', '/index.ts'] as const
/** Libraries of the frame, by the names that pages import them with. */
const LIBRARIES: Readonly<Record<string, string>> = {
  react: 'react',
  'react/jsx-runtime': 'jsx',
  'react/jsx-dev-runtime': 'jsx',
  'react-dom': 'dom',
}
const HOOKS = new Set(['@amodalai/react', '@amodal/react', '@amodal/pages'])
/** What those export; a name that is not among them is an error of the build. */
const EXPORTS = ['navigate', 'useSkillAction', 'useStore', 'useStoreList', 'useTheme'] as const

const OPTIONS = {
  bundle: true,
  write: false,
  format: 'iife',
  platform: 'browser',
  target: 'es2023',
  jsx: 'automatic',
  charset: 'utf8',
  legalComments: 'none',
  sourcemap: 'external',
  metafile: true,
  logLevel: 'silent',
  outdir: '/',
  // Settings of a folder around the server are none of a page.
  tsconfigRaw: {},
  define: { 'process.env.NODE_ENV': '"production"' },
} as const satisfies BuildOptions

/**
 * Bundles a page with what it imports of `pages/`. Nothing is read from the disk, and nothing of
 * the page runs.
 *
 * @param entry path of the page, such as `pages/ops.tsx`
 */
export async function bundlePage(
  entry: string,
  files: PageFiles,
): Promise<Result<BuiltPage, readonly PageProblem[]>> {
  const { build } = await import('esbuild')
  try {
    const { outputFiles, metafile } = await build({
      ...OPTIONS,
      entryPoints: [{ in: `${ENTRY}:${entry}`, out: 'page' }],
      plugins: [filesOf(files)],
    })
    const code = await guardedLoops(
      outputFiles.find(({ path }) => path.endsWith('.js'))?.text ?? '',
    )
    const map = outputFiles.find(({ path }) => path.endsWith('.map'))?.text ?? '{}'
    const hash = digest(code)
    return ok({ hash, shape: shapeOf(code), code, map, inputs: inputsOf(metafile) })
  } catch (cause) {
    if (isEsbuildFailure(cause)) return err(problemsOf(cause.errors))
    throw cause
  }
}

export const digest = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 32)

/**
 * The order in which hooks are called, and what state begins with: while it is the same, React can
 * keep their state.
 */
const shapeOf = (code: string): string =>
  digest(
    [...code.matchAll(/\b(use[A-Z]\w*)\)?(\(.*)/g)]
      .map(([, name = '', rest = '']) => (STATEFUL.has(name) ? `${name}${rest}` : name))
      .join('\n'),
  )
const STATEFUL = new Set(['useState', 'useReducer', 'useRef'])

const inputsOf = ({ inputs }: Metafile): readonly string[] =>
  Object.keys(inputs).flatMap((name) =>
    name.startsWith(`${NAMESPACE}:`) ? [name.slice(NAMESPACE.length + 1)] : [],
  )

/** Files of the agent and libraries of the frame, and nothing else. */
const filesOf = (files: PageFiles): Plugin => ({
  name: 'amodal-pages',
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ path, importer, namespace }) => {
      if (path.startsWith(`${ENTRY}:`))
        return { path: path.slice(ENTRY.length + 1), namespace: ENTRY }
      if (namespace === ENTRY) return { path, namespace: NAMESPACE }
      return resolve(path, importer, files)
    })
    build.onLoad({ filter: /.*/, namespace: ENTRY }, ({ path }) => ({
      contents: `import * as page from ${JSON.stringify(path)}\nglobalThis.__amodal.page(page)`,
      loader: 'js',
    }))
    build.onLoad({ filter: /.*/, namespace: SHARED }, ({ path }) => ({
      contents: sharedModule(path),
      loader: 'js',
    }))
    build.onLoad({ filter: /.*/, namespace: NAMESPACE }, ({ path }) => {
      const text = files.get(path) ?? ''
      return loaderOf(path) === 'css'
        ? { contents: `globalThis.__amodal.style(${JSON.stringify(text)})`, loader: 'js' }
        : { contents: text, loader: loaderOf(path) }
    })
  },
})

function resolve(path: string, importer: string, files: PageFiles): OnResolveResult {
  const library = LIBRARIES[path]
  if (library !== undefined) return { path: library, namespace: SHARED }
  if (HOOKS.has(path)) return { path: 'hooks', namespace: SHARED }
  if (!path.startsWith('.'))
    return {
      errors: [
        {
          text: `a page cannot import "${path}": there are "react", "react-dom", "@amodalai/react" and files of pages/`,
        },
      ],
    }
  const target = posix.join(posix.dirname(importer), path)
  const found = ENDINGS.map((ending) => `${target}${ending}`).find((one) => files.has(one))
  return found === undefined
    ? { errors: [{ text: `there is no file "${target}" in pages/` }] }
    : { path: found, namespace: NAMESPACE }
}

const sharedModule = (name: string): string =>
  name === 'hooks'
    ? `export const { ${EXPORTS.join(', ')} } = globalThis.__amodal.hooks`
    : `module.exports = globalThis.__amodal.${name}`
