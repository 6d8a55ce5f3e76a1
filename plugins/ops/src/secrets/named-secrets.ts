import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isList, isObject } from '@amodal/sdk'
import { MANIFEST_FILES, parseJson } from '@amodal/sdk/files'

/** A variable that files of an agent name, and where. */
export interface NamedSecret {
  readonly name: string
  /** `file:line`, relative to the agent folder. */
  readonly where: readonly string[]
}

/** Files that may hold references; code and texts for the model hold none. */
const FILES = /\.(?:json|jsonc|ya?ml)$/i
/** A value that is nothing but a reference. */
const REFERENCE = /(?<=["':\s[,-])env:([A-Za-z_]\w*)(?=["'\s,\]}]|$)/g
const VARIABLE = /^[A-Za-z_]\w*$/
/** Folders of programs, of the server, and of packages. */
const SKIPPED = /^(?:\..*|node_modules)$/

/** Files of tools, whose `env` lists variables by their names alone. */
const TOOL = /(?:^|\/)tools\/.*\.json$/i

/**
 * Every `env:NAME`, and every variable of a tool, in the files of an agent folder. Files are
 * searched as text, so that a folder that does not load for want of a variable is searched as well.
 *
 * @param dir absolute path of the agent folder
 */
export async function namedSecrets(dir: string): Promise<readonly NamedSecret[]> {
  const found = new Map<string, string[]>()
  const add = (name: string, file: string, line: number): void => {
    found.set(name, [...(found.get(name) ?? []), `${file}:${line}`])
  }
  const manifests = MANIFEST_FILES.filter((file) => existsSync(join(dir, file)))
  for (const file of new Set([...manifests, ...(await filesIn(dir, ''))])) {
    const text = await readFile(join(dir, file), 'utf8')
    for (const [index, line] of text.split('\n').entries())
      for (const [, name = ''] of line.matchAll(REFERENCE)) add(name, file, index + 1)
    if (TOOL.test(file)) for (const { name, line } of variablesOf(text)) add(name, file, line)
  }
  return [...found]
    .map(([name, where]) => ({ name, where }))
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
}

/** The `env` of a tool. A file that cannot be read is the business of `amodal validate`. */
function variablesOf(text: string): readonly { readonly name: string; readonly line: number }[] {
  const parsed = parseJson(text)
  const { value, positionOf } = parsed.ok ? parsed.value : {}
  const names = isObject(value) ? value['env'] : undefined
  if (!isList(names)) return []
  return names.flatMap((name, at) =>
    typeof name === 'string' && VARIABLE.test(name)
      ? [{ name, line: positionOf?.(['env', at]).line ?? 1 }]
      : [],
  )
}

async function filesIn(dir: string, under: string): Promise<readonly string[]> {
  const entries = await readdir(join(dir, under), { withFileTypes: true })
  const nested = entries
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
    .map(async (entry): Promise<readonly string[]> => {
      const path = under === '' ? entry.name : `${under}/${entry.name}`
      if (entry.isDirectory()) return SKIPPED.test(entry.name) ? [] : filesIn(dir, path)
      return entry.isFile() && FILES.test(entry.name) ? [path] : []
    })
  return (await Promise.all(nested)).flat()
}
