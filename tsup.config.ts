import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Options } from 'tsup'
import { inlined, licences } from './scripts/lib/inlined.ts'

/** What a package says of itself, as far as its build needs it. */
interface Manifest {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  /** What is built beside the doors of the package. */
  readonly tsup?: {
    /** Files that are started or loaded by their path, by the name that they get in `dist`. */
    readonly entry?: Readonly<Record<string, string>>
    /**
     * A folder of `src` whose files run as programs of their own, and see nothing outside of it.
     */
    readonly programs?: string
    /**
     * Libraries that become part of `dist`, since they have dozens of files and each of them costs
     * a start about half a millisecond of processor time. Their licences stand beside them.
     */
    readonly inline?: readonly string[]
    /** What these import that stays an import, such as an optional peer that nobody installs. */
    readonly external?: readonly string[]
    /** What these import in code that never runs, and nobody installs. */
    readonly empty?: readonly string[]
    /** The first line of each file: a directive for bundlers. */
    readonly banner?: string
  }
}

/** The condition of `exports` that leads to the sources: for this workspace alone. */
const SOURCE = '@amodal/source'

/** For CommonJS among what is put into a module: esbuild takes a `require` that is there. */
const REQUIRE = `import { createRequire as requireFrom } from 'node:module'
const require = requireFrom(import.meta.url)`

/**
 * Files that need no `require` go without it, so that bundlers for browsers can take them: the
 * client is for both. Two empty lines stay, where source maps count them.
 */
const requireWhereNeeded: NonNullable<Options['plugins']>[number] = {
  name: 'require-where-needed',
  renderChunk(code, { type }) {
    if (type !== 'chunk' || !code.startsWith(REQUIRE)) return undefined
    const rest = code.slice(REQUIRE.length)
    return /\brequire\b/.test(rest) ? undefined : { code: `\n${rest}` }
  },
}

/** Libraries that check more while their users are developed are taken without that. */
const PRODUCTION = { 'process.env.NODE_ENV': '"production"' }

const shared: Options = {
  format: 'esm',
  target: 'node22.18',
  platform: 'node',
  splitting: true,
  sourcemap: true,
  clean: false,
  silent: true,
  dts: false,
  config: false,
  // `inlined` decides it
  noExternal: [/./],
  removeNodeProtocol: false,
  esbuildOptions(options) {
    options.chunkNames = 'chunk-[hash]'
    options.legalComments = 'none'
    // our sources are in the package
    options.sourcesContent = false
  },
}

/**
 * How a package is built: a file for each of its doors, parts that are loaded later in chunks
 * beside them, and all packages as imports. Types are not made here: `scripts/build.mjs` has them
 * from the native compiler.
 *
 * @param root path of the workspace
 * @param folder of the package, from the root
 */
export function configOf(root: string, folder: string): readonly Options[] {
  const { exports, tsup = {} } = JSON.parse(
    readFileSync(join(root, folder, 'package.json'), 'utf8'),
  ) as Manifest // our own file
  const doors = Object.entries(exports).flatMap(([door, target]) => {
    const source = typeof target === 'string' ? undefined : target[SOURCE]
    return source === undefined ? [] : [[door === '.' ? 'index' : door.slice(2), source] as const]
  })
  const entry = Object.fromEntries(
    [...doors, ...Object.entries(tsup.entry ?? {})].map(([name, source]) => [
      name,
      join(root, folder, source),
    ]),
  )
  const outDir = join(root, folder, 'dist')
  const inline = tsup.inline ?? []
  const main: Options = {
    ...shared,
    entry,
    outDir,
    ...(tsup.banner !== undefined && { banner: { js: tsup.banner } }),
    ...(inline.length === 0
      ? {}
      : { banner: { js: REQUIRE }, plugins: [requireWhereNeeded], define: PRODUCTION }),
    esbuildPlugins: [inlined(inline, tsup.external, tsup.empty), licences(root, outDir)],
  }
  if (tsup.programs === undefined) return [main]
  const programs = join(root, folder, tsup.programs)
  if (!existsSync(programs))
    throw new Error(`${folder}/package.json: there is no folder ${tsup.programs}`)
  return [
    main,
    {
      ...shared,
      entry: [`${programs}/*.ts`],
      outDir: join(outDir, tsup.programs.split('/').at(-1) ?? ''),
      outExtension: () => ({ js: '.mjs' }),
    },
  ]
}
