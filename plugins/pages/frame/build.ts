/**
 * Builds the document of pages into `built/`, or into the folder that is named. The build of the
 * packages runs it whenever something in this folder has changed.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

/** What the script holds of others; react-dom brings scheduler, by the same people. */
const PACKAGES = ['react', 'react-dom']

async function licence(name: string): Promise<string> {
  const folder = join(import.meta.dirname, '../node_modules', name)
  const file = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one))
  if (file === undefined) throw new Error(`${name} says nothing of its licence`)
  return `${name}\n\n${await readFile(join(folder, file), 'utf8')}`
}

const [, , folder = join(import.meta.dirname, '../built')] = process.argv
await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
await build({
  entryPoints: {
    frame: join(import.meta.dirname, 'main.tsx'),
    'frame-style': join(import.meta.dirname, 'page.css'),
  },
  outdir: folder,
  bundle: true,
  minify: true,
  format: 'iife',
  platform: 'browser',
  target: 'es2023',
  jsx: 'automatic',
  legalComments: 'none',
  define: { 'process.env.NODE_ENV': '"production"' },
  tsconfigRaw: {},
  logLevel: 'warning',
})
await writeFile(
  join(folder, 'licences.txt'),
  (await Promise.all(PACKAGES.map(licence))).join('\n\n----\n\n'),
)
