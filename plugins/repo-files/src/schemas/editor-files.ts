import { applyEdits, modify, parse, printParseErrorCode, type ParseError } from 'jsonc-parser'
import { err, ok, type Generation, type Result } from '@amodal/sdk'
import { FileSchemas, schemaText, type StarterFile } from '../tokens.ts'

export const SETTINGS_FILE = '.vscode/settings.json'
const FOLDER = '.vscode/amodal'

const pathOf = (name: string): string => `${FOLDER}/${name}.schema.json`

/** The schemas as files. */
export const editorFiles = (generation: Generation): readonly StarterFile[] =>
  [...generation.registry(FileSchemas)].map(([name, kind]) => ({
    path: pathOf(name),
    text: schemaText(name, kind),
  }))

/** All files of a folder without settings. */
export function starterFilesFor(generation: Generation): readonly StarterFile[] {
  const settings = withSchemas(generation, '{}')
  return [
    ...editorFiles(generation),
    ...(settings.ok ? [{ path: SETTINGS_FILE, text: settings.value }] : []),
  ]
}

interface SchemaSetting {
  readonly fileMatch: readonly string[]
  readonly url: string
}

/**
 * Settings of VS Code that name the schemas; comments and other settings stay.
 *
 * @param settings text of the file
 * @returns the new text; or what is wrong with the old one
 */
export function withSchemas(generation: Generation, settings: string): Result<string, string> {
  const errors: ParseError[] = []
  const value: unknown = parse(settings, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first) return err(`${printParseErrorCode(first.error)} at character ${first.offset}`)
  const files = [...generation.registry(FileSchemas)]
  const own = files.map(([name, { files: globs }]): SchemaSetting => ({
    fileMatch: globs.map((glob) => glob.replace(/^(!?)/, '$1/')),
    url: `./${pathOf(name)}`,
  }))
  const foreign = schemasIn(value).filter(({ url }) => !url.startsWith(`./${FOLDER}/`))
  const yaml = Object.fromEntries(
    files.flatMap(([name, { files: globs }]) => {
      const matching = globs.filter((glob) => /\.ya?ml$/.test(glob))
      return matching.length === 0 ? [] : [[`./${pathOf(name)}`, matching]]
    }),
  )
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' }
  let text = settings
  const set = (path: readonly string[], content: unknown): void => {
    text = applyEdits(text, modify(text, [...path], content, { formattingOptions }))
  }
  set(['json.schemas'], [...foreign, ...own])
  for (const [url, globs] of Object.entries(yaml)) set(['yaml.schemas', url], globs)
  return ok(text.endsWith('\n') ? text : `${text}\n`)
}

function schemasIn(settings: unknown): readonly SchemaSetting[] {
  if (typeof settings !== 'object' || settings === null || !('json.schemas' in settings)) return []
  const list: unknown = settings['json.schemas']
  return Array.isArray(list) ? list.filter(isSchemaSetting) : []
}

const isSchemaSetting = (value: unknown): value is SchemaSetting =>
  typeof value === 'object' && value !== null && 'url' in value && typeof value.url === 'string'
