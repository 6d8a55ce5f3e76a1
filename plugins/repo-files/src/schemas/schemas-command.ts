import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, tryAsync, type Command, type Generation } from '@amodal/sdk'
import type { StarterFile } from '../tokens.ts'
import { editorFiles, SETTINGS_FILE, withSchemas } from './editor-files.ts'

/** `amodal schemas`: schemas of the agent's files for editors. */
export const schemasCommand = (generation: () => Generation): Command => ({
  summary: 'Write JSON Schemas of the agent’s files for editors',
  usage: 'amodal schemas [--check]',
  about: [
    `Writes a schema of each kind of file into .vscode/amodal, and names them in ${SETTINGS_FILE}: editors then complete and check amodal.json,`,
    'stores, connections and the other files. Settings that are there stay. Run it again after an update or a new plugin.',
  ],
  options: {
    check: {
      type: 'boolean',
      description: 'Write nothing; exit code 1 where they are not current',
    },
  },
  async run({ dir, fail, options, print }) {
    const current = await tryAsync(() => readFile(join(dir, SETTINGS_FILE), 'utf8'), messageOf)
    const settings = withSchemas(generation(), current.ok ? current.value : '{}')
    if (!settings.ok) {
      fail(`${SETTINGS_FILE}: ${settings.error}. Correct it, or remove it; nothing was written.`)
      return 1
    }
    const files = [...editorFiles(generation()), { path: SETTINGS_FILE, text: settings.value }]
    const stale: StarterFile[] = []
    for (const file of files)
      if ((await textOf(join(dir, file.path))) !== file.text) stale.push(file)
    if (options['check'] === true) {
      for (const { path } of stale) fail(`${path} is not current: run \`amodal schemas\``)
      return stale.length === 0 ? 0 : 1
    }
    const written = await tryAsync(async () => {
      await mkdir(join(dir, '.vscode/amodal'), { recursive: true })
      for (const { path, text } of stale) await writeFile(join(dir, path), text)
    }, messageOf)
    if (!written.ok) {
      fail(`NOT_WRITABLE: ${dir} cannot be written: ${written.error}`)
      return 1
    }
    for (const { path } of stale) print(`✓ ${path}`)
    if (stale.length === 0) print('The schemas are current.')
    return 0
  },
})

const textOf = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch(() => undefined)
