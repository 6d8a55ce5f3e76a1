import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { registerHooks, type ResolveFnOutput } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { COMPILED, type Compiled } from '../src/compiled.ts'

/** What a package says of itself, as far as it counts here. */
interface Manifest { readonly name: string; readonly exports: Readonly<Record<string, string>> }

/** It says which packages stand where, and changes whenever that does. */
const INSTALLED = 'node_modules/.modules.yaml'

/** For tests, which run the sources. */
const NOT_SERVED = './testing'

/**
 * Compiles every package of the workspace into its `dist`: a file for each of its doors, and one for each part that is loaded
 * later. A start then reads a hundred files instead of six hundred. Packages stay apart, so a plugin of somebody else meets
 * the same sdk as ours.
 *
 *     node presets/scripts/compile.ts [WORKSPACE]
 *
 * @param root path of the workspace
 * @returns what is written down for the starts; throws where a source does not compile, or is changed meanwhile
 */
export async function compilePackages(root: string): Promise<Compiled> {
  await rm(join(root, COMPILED), { force: true }) // what is being written is not used
  const begin = Date.now()
  const plugins = (await readdir(join(root, 'plugins'))).map((name) => `plugins/${name}`)
  const parts: Compiled[] = []
  for (const folder of ['kernel', 'sdk', 'presets', ...plugins.sort()]) parts.push(await compilePackage(root, folder))
  const compiled: Compiled = {
    doors: parts.flatMap(({ doors }) => doors),
    imports: parts.flatMap(({ imports }) => imports),
    files: [...await standing(root, [INSTALLED]), ...parts.flatMap(({ files }) => files)],
  }
  const late = compiled.files.find(([path, changed]) => !path.includes('/dist/') && changed > begin)
  if (late) throw new Error(`${late[0]} was changed while it was compiled: run this again`)
  await mkdir(dirname(join(root, COMPILED)), { recursive: true })
  await writeFile(join(root, COMPILED), JSON.stringify(compiled))
  return compiled
}

async function compilePackage(root: string, folder: string): Promise<Compiled> {
  const manifest = join(folder, 'package.json')
  const { name, exports } = JSON.parse(await readFile(join(root, manifest), 'utf8')) as Manifest // our own files
  const named = Object.entries(exports).filter(([door]) => door !== NOT_SERVED)
    .map(([door, file]) => ({ name: `${name}${door.slice(1)}`, source: join(folder, file), as: door === '.' ? 'index' : door.slice(2) }))
  const doors = folder === 'presets' ? [...named, { source: 'presets/src/cli/main.ts', as: 'main' }] : named
  const dist = join(folder, 'dist')
  await rm(join(root, dist), { recursive: true, force: true })
  await using build = await rolldown({
    cwd: join(root, folder),
    input: Object.fromEntries(doors.map(({ as, source }) => [as, join(root, source)])),
    external: isOutside,
    platform: 'node',
  })
  const { output } = await build.write({ dir: join(root, dist), format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' })
  const chunks = output.filter((file) => file.type === 'chunk')
  const sources = new Set(chunks.flatMap(({ moduleIds }) => moduleIds)
    .filter((path) => path.startsWith(root)).map((path) => relative(root, path))) // rolldown adds helpers of its own
  const own = new Set(output.map(({ fileName }) => fileName))
  const outside = new Set(chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]).filter((id) => !own.has(id) && !/^(node:|@amodal\/)/.test(id)))
  return {
    doors: doors.map(({ as, ...door }) => ({ ...door, compiled: join(dist, `${as}.js`) })),
    imports: await Promise.all([...outside].map((id) => found(root, dist, id))),
    files: await standing(root, [manifest, ...sources, ...[...own].map((file) => join(dist, file))]),
  }
}

/** Packages stay imports. */
const isOutside = (id: string): boolean => !id.startsWith('.') && !id.startsWith('/')

const standing = (root: string, paths: readonly string[]): Promise<Compiled['files']> => Promise.all(paths.map(async (path) => {
  const { mtimeMs, size } = await stat(join(root, path))
  return [path, mtimeMs, size] as const
}))

/** What Node itself finds for an import of a file in this folder: asked of its resolver, which nothing else reaches. */
async function found(root: string, folder: string, name: string): Promise<Compiled['imports'][number]> {
  const question = `find:${folder}:${name}`
  let answer: ResolveFnOutput | undefined
  const hook = registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== question) return next(specifier, context)
      answer = next(name, { ...context, parentURL: pathToFileURL(join(root, folder, 'index.js')).href })
      return { url: 'data:text/javascript,', shortCircuit: true }
    },
  })
  await import(question)
  hook.deregister()
  if (answer === undefined) throw new Error(`${folder} imports ${name}, which is not installed`)
  return { folder, name, file: relative(root, fileURLToPath(answer.url)), ...(typeof answer.format === 'string' && { format: answer.format }) }
}

if (import.meta.main) await compilePackages(process.argv[2] ?? fileURLToPath(new URL('../../', import.meta.url)))
