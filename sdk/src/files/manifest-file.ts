import { tryAsync } from '@amodal/kernel'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentBundle } from '../ports/bundle.ts'
import { Issues } from './issues.ts'
import { readJsonObject, type JsonFile } from './json-file.ts'

/** A folder with one of these is an agent; the first one counts. */
export const MANIFEST_FILES = ['amodal.json', '.amodal/config.json'] as const

/**
 * The manifest of an agent with the lines of its values, for plugins that own a part of it. Of one
 * without a folder, or where it cannot be read any more, all stands in line 1.
 */
export async function manifestFile({
  manifest: { raw },
  root,
}: Pick<AgentBundle, 'manifest' | 'root'>): Promise<JsonFile> {
  for (const file of root === undefined ? [] : MANIFEST_FILES) {
    const text = await tryAsync(
      () => readFile(join(root ?? '', file), 'utf8'),
      () => undefined,
    )
    const json = text.ok
      ? readJsonObject({ path: file, text: text.value }, new Issues())
      : undefined
    if (json) return json
  }
  return { file: 'amodal.json', value: raw, lineOf: () => 1 }
}
