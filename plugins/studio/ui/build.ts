/**
 * Builds the page into `built/`, or into the folder that is named. The build of the packages runs
 * it whenever something in this folder has changed.
 */
import { readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'
import { BUILT, config } from './build-config.ts'

/** What the page holds of others; what they bring along is by the same people. */
const PACKAGES = [
  '@codemirror/view',
  '@dagrejs/dagre',
  '@fontsource-variable/inter',
  '@fontsource-variable/jetbrains-mono',
  '@lezer/highlight',
  '@xyflow/react',
  'cmdk',
  'codemirror',
  'diff',
  'lucide-react',
  'marked',
  'react',
  'react-dom',
  'uplot',
]

async function licence(name: string): Promise<string> {
  const folder = join(import.meta.dirname, '../node_modules', name)
  const file = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one))
  if (file === undefined) throw new Error(`${name} says nothing of its licence`)
  return `${name}\n\n${await readFile(join(folder, file), 'utf8')}`
}

const [, , folder = BUILT] = process.argv
await rm(folder, { recursive: true, force: true })
await build({ ...config, build: { ...config.build, outDir: folder } })
await writeFile(
  join(folder, 'licences.txt'),
  (await Promise.all(PACKAGES.map(licence))).join('\n\n----\n\n'),
)
